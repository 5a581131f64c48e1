//go:build linux

package powercut_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Steps that lose something at a power cut, or keep it. In each directory that tests begin
// with, the file "old" holds "old" and is synced.
var cuts = []struct {
	name   string
	do     func(s *steps)
	left   string // each file and its content
	strict string // the same, with Strict; "" if no different
}{
	{"write", func(s *steps) { s.write("a", "x", 0) }, "old=old", ""},
	{"write, sync", func(s *steps) { s.write("a", "x", 0); s.sync("a") }, "a=x old=old", "old=old"},
	{"write, sync, sync directory", func(s *steps) { s.write("a", "x", 0); s.sync("a"); s.sync(".") }, "a=x old=old", ""},
	{"write, sync directory", func(s *steps) { s.write("a", "x", 0); s.sync(".") }, "a= old=old", ""},
	{"O_SYNC", func(s *steps) { s.write("old", "newer", os.O_SYNC) }, "old=newer", ""},
	{"O_DSYNC", func(s *steps) { s.write("old", "newer", syscall.O_DSYNC) }, "old=newer", ""},
	{"write over", func(s *steps) { s.write("old", "newer", 0) }, "old=old", ""},
	{"write over, sync", func(s *steps) { s.write("old", "newer", 0); s.sync("old") }, "old=newer", ""},
	{"write after sync", func(s *steps) { s.write("old", "newer", 0); s.sync("old"); s.write("old", "newest", 0) }, "old=newer", ""},
	{"append", func(s *steps) { s.write("old", "er", os.O_APPEND); s.sync("old"); s.write("old", "s", os.O_APPEND) }, "old=older", ""},
	{"fdatasync", func(s *steps) { s.write("old", "er", os.O_APPEND); s.fdatasync("old") }, "old=older", ""},
	{"truncate", func(s *steps) { s.must(os.Truncate(s.path("old"), 1)) }, "old=old", ""},
	{"truncate, sync", func(s *steps) { s.must(os.Truncate(s.path("old"), 1)); s.sync("old") }, "old=o", ""},
	{"unlink", func(s *steps) { s.must(os.Remove(s.path("old"))) }, "old=old", ""},
	{"unlink, sync directory", func(s *steps) { s.must(os.Remove(s.path("old"))); s.sync(".") }, "", ""},
	{"rename", func(s *steps) { s.rename("old", "a") }, "old=old", ""},
	{"rename, sync directory", func(s *steps) { s.rename("old", "a"); s.sync(".") }, "a=old", ""},
	{"rename, sync", func(s *steps) { s.rename("old", "a"); s.sync("a") }, "a=old", "old=old"},
	{"rename over", func(s *steps) { s.write("a", "x", os.O_SYNC); s.rename("a", "old") }, "a=x old=old", "old=old"},
	{"rename over, sync directory", func(s *steps) { s.write("a", "x", os.O_SYNC); s.rename("a", "old"); s.sync(".") }, "old=x", ""},
	{"rename over unsynced, sync directory", func(s *steps) { s.write("a", "x", 0); s.rename("a", "old"); s.sync(".") }, "old=", ""},
	{"link", func(s *steps) { s.must(os.Link(s.path("old"), s.path("a"))) }, "old=old", ""},
	{"link, sync directory", func(s *steps) { s.must(os.Link(s.path("old"), s.path("a"))); s.sync(".") }, "a=old old=old", ""},
	{"directory", func(s *steps) { s.must(os.MkdirAll(s.path("d/e"), 0o700)); s.write("d/e/a", "x", os.O_SYNC) }, "d/e/a=x old=old", "old=old"},
	{"directory, sync it", func(s *steps) { s.must(os.Mkdir(s.path("d"), 0o700)); s.write("d/a", "x", os.O_SYNC); s.sync("d") }, "d/a=x old=old", "old=old"},
	{"directory, sync all", func(s *steps) {
		s.must(os.Mkdir(s.path("d"), 0o700))
		s.write("d/a", "x", os.O_SYNC)
		s.sync("d")
		s.sync(".")
	}, "d/a=x old=old", ""},
	{"beyond a page", func(s *steps) {
		s.write("old", strings.Repeat("a", 5000), os.O_SYNC)
		s.write("old", "b", os.O_APPEND)
	}, "old=" + strings.Repeat("a", 5000), ""},
}

// A power cut loses what was not synced, and nothing else.
func TestCut(t *testing.T) {
	rerun.Skip(t)
	for _, strict := range []bool{false, true} {
		disk, root := mount(t, powercut.Options{Strict: strict})
		for _, c := range cuts {
			s := &steps{T: t, dir: filepath.Join(root, strings.ReplaceAll(c.name, " ", "_"))}
			s.must(os.Mkdir(s.dir, 0o700))
			s.write("old", "old", os.O_SYNC)
			s.sync(".")
			s.sync("..")
			c.do(s)
			s.must(disk.Cut(nil))
			want := c.left
			if strict && c.strict != "" {
				want = c.strict
			}
			if got := s.files(); got != want {
				t.Errorf("%s (strict %v): left %.100q, want %.100q", c.name, strict, got, want)
			}
		}
	}
}

// From the change that the power fails at, nothing is done, and until the cut every call
// says so.
func TestFailAfter(t *testing.T) {
	rerun.Skip(t)
	disk, root := mount(t, powercut.Options{})
	s := &steps{T: t, dir: root}
	disk.FailAfter(3) // create, write, and write
	s.write("a", "x", os.O_SYNC)
	failed := disk.Failed()
	select {
	case <-failed:
		t.Fatal("the power failed too early")
	default:
	}
	s.write("a", "y", os.O_SYNC)
	if err := os.WriteFile(s.path("b"), nil, 0o600); !errors.Is(err, syscall.EIO) {
		t.Errorf("after the power failed: %v, want %v", err, syscall.EIO)
	}
	<-failed
	f, err := os.Open(s.path("a"))
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("opened after the power failed: %v, %v", f, err)
	}
	s.must(disk.Cut(nil))
	if got := s.files(); got != "a=y" {
		t.Errorf("left %q, want a=y", got)
	}
	if n := disk.Stats(); n != (powercut.Stats{Changes: 4, Syncs: 2, Cuts: 1}) {
		t.Errorf("counted %+v", n)
	}
}

// With chance, each sector of a file is an old one or a new one, a synced file is whole,
// and each of old, new and torn comes about.
func TestCutKeepsSome(t *testing.T) {
	rerun.Skip(t)
	disk, root := mount(t, powercut.Options{})
	const size = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	var kept, dropped, torn, named int
	for range 60 {
		s := &steps{T: t, dir: root}
		older, newer := bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("b"), size+500)
		s.write("synced", string(older), os.O_SYNC)
		s.write("file", string(older), os.O_SYNC|os.O_TRUNC)
		s.sync(".")
		s.write("file", string(newer), 0)
		s.write("new", "x", 0)
		s.must(disk.Cut(random))
		if got, err := os.ReadFile(s.path("synced")); err != nil || !bytes.Equal(got, older) {
			t.Fatalf("a synced file: %d bytes, %v", len(got), err)
		}
		got, err := os.ReadFile(s.path("file"))
		if err != nil || len(got) != len(older) && len(got) != len(newer) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		for at := 0; at < len(got); at += 512 {
			sector := got[at:min(len(got), at+512)]
			if len(slices.Compact(slices.Clone(bytes.Trim(sector, "\x00")))) > 1 {
				t.Fatalf("the sector at %d holds old and new: %q", at, sector)
			}
		}
		for at := 0; at+4096 <= size; at += 4096 {
			switch bytes.Count(got[at:at+4096], []byte("b")) {
			case 0:
				dropped++
			case 4096:
				kept++
			default:
				torn++
			}
		}
		if _, err := os.Stat(s.path("new")); err == nil {
			named++
			s.must(os.Remove(s.path("new")))
		}
	}
	if min(kept, dropped, torn) < 20 || named < 15 || named > 45 {
		t.Errorf("pages: %d kept, %d dropped, %d torn; %d of 60 names kept", kept, dropped, torn, named)
	}
}

// steps are calls of a file system in one directory.
type steps struct {
	*testing.T
	dir string
}

func (s *steps) path(name string) string { return filepath.Join(s.dir, name) }

func (s *steps) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// write writes to a file, which is made if it is not there.
func (s *steps) write(name, text string, flags int) {
	s.Helper()
	f, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE|flags, 0o600)
	s.must(err)
	_, err = f.WriteString(text)
	s.must(err)
	s.must(f.Close())
}

func (s *steps) sync(name string) {
	s.Helper()
	f, err := os.Open(s.path(name))
	s.must(err)
	s.must(f.Sync())
	s.must(f.Close())
}

func (s *steps) fdatasync(name string) {
	s.Helper()
	f, err := os.OpenFile(s.path(name), os.O_WRONLY, 0)
	s.must(err)
	s.must(syscall.Fdatasync(int(f.Fd())))
	s.must(f.Close())
}

func (s *steps) rename(from, to string) {
	s.Helper()
	s.must(os.Rename(s.path(from), s.path(to)))
}

// files returns all files below the directory, and their content.
func (s *steps) files() string {
	s.Helper()
	var all []string
	s.must(filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(s.dir, path)
		all = append(all, name+"="+string(text))
		return err
	}))
	return strings.Join(all, " ")
}
