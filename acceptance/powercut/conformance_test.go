//go:build linux

package powercut_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Random calls have the same results on the disk as on the file system of this machine.
func TestConforms(t *testing.T) {
	rerun.Skip(t)
	_, root := mount(t, powercut.Options{})
	real := t.TempDir()
	for seed := range uint64(40) {
		var answers [2][]string
		for i, dir := range []string{root, real} {
			dir = filepath.Join(dir, fmt.Sprint(seed))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			c := &calls{Rand: rand.New(rand.NewPCG(seed, 1)), dir: dir}
			for range 150 {
				answers[i] = append(answers[i], c.one())
			}
			c.close()
			answers[i] = append(answers[i], (&steps{T: t, dir: dir}).files())
		}
		for i, got := range answers[0] {
			if want := answers[1][i]; got != want {
				t.Fatalf("seed %d, call %d: %.300q, want %.300q", seed, i, got, want)
			}
		}
	}
}

// calls draws calls on a few names and a few open files.
type calls struct {
	*rand.Rand
	dir  string
	open []*os.File
}

// one does one call, and returns what it answers.
func (c *calls) one() string {
	name := func() string { return filepath.Join(c.dir, []string{"a", "b", "c", "d", "d/a", "d/b", "e"}[c.IntN(7)]) }
	answer := func(what string, v any, err error) string {
		if e := syscall.Errno(0); err != nil {
			for u := err; u != nil; {
				if x, ok := u.(syscall.Errno); ok {
					e = x
					break
				}
				w, ok := u.(interface{ Unwrap() error })
				if !ok {
					break
				}
				u = w.Unwrap()
			}
			return fmt.Sprint(what, " ", v, " ", e, err == io.EOF)
		}
		return fmt.Sprint(what, " ", v)
	}
	var f *os.File
	if len(c.open) > 0 {
		f = c.open[c.IntN(len(c.open))]
	}
	text := bytes.Repeat([]byte{byte('a' + c.IntN(26))}, 1+c.IntN(6000))
	off, size := int64(c.IntN(20_000)), c.IntN(10_000)
	kind := c.IntN(16)
	switch {
	case kind < 3:
		flags := []int{os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_EXCL, os.O_RDWR | os.O_CREATE | os.O_TRUNC, os.O_RDWR | os.O_APPEND | os.O_CREATE, os.O_WRONLY | os.O_SYNC}[c.IntN(6)]
		f, err := os.OpenFile(name(), flags, 0o640)
		if err == nil {
			c.open = append(c.open, f)
		}
		return answer("open", flags, err)
	case kind == 3:
		return answer("mkdir", "", os.Mkdir(filepath.Join(c.dir, []string{"d", "e"}[c.IntN(2)]), 0o750))
	case kind == 4:
		return answer("remove", "", os.Remove(name()))
	case kind == 5:
		return answer("rename", "", os.Rename(name(), name()))
	case kind == 6:
		return answer("link", "", os.Link(name(), name()))
	case kind == 7:
		st, err := os.Stat(name())
		if err != nil {
			return answer("stat", "", err)
		}
		if st.IsDir() {
			return answer("stat", st.Mode(), nil)
		}
		return answer("stat", fmt.Sprint(st.Size(), st.Mode(), st.Sys().(*syscall.Stat_t).Nlink), nil)
	case kind == 8:
		list, err := os.ReadDir(c.dir)
		return answer("list", list, err)
	case f == nil:
		return ""
	case kind == 9:
		return answer("truncate", "", f.Truncate(off))
	case kind == 10:
		_, err := f.WriteAt(text, off) // refused by the os package after O_APPEND
		return answer("write at", "", err)
	case kind == 11:
		n, err := f.Write(text)
		return answer("write", n, err)
	case kind == 12:
		buf := make([]byte, size)
		n, err := f.ReadAt(buf, off)
		return answer("read at", string(buf[:n]), err)
	case kind == 13:
		at, err := f.Seek(off, io.SeekStart)
		return answer("seek", at, err)
	case kind == 14:
		return answer("sync", "", f.Sync())
	}
	i := slices.Index(c.open, f)
	c.open = slices.Delete(c.open, i, i+1)
	return answer("close", "", f.Close())
}

func (c *calls) close() {
	for _, f := range c.open {
		f.Close()
	}
}

// Locks, maps of memory and files without a name are as elsewhere.
func TestConformsOfFiles(t *testing.T) {
	rerun.Skip(t)
	_, root := mount(t, powercut.Options{})
	s := &steps{T: t, dir: root}
	s.write("a", "hello", 0)
	open := func() *os.File {
		f, err := os.OpenFile(s.path("a"), os.O_RDWR, 0)
		s.must(err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	one, two := open(), open()
	s.must(unix.Flock(int(one.Fd()), unix.LOCK_EX))
	if err := unix.Flock(int(two.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK {
		t.Errorf("flock of a locked file: %v", err)
	}
	// Locks of open file descriptions are fcntl's, but between files of one process.
	lock := &unix.Flock_t{Type: unix.F_WRLCK}
	s.must(unix.FcntlFlock(one.Fd(), unix.F_OFD_SETLK, lock))
	if err := unix.FcntlFlock(two.Fd(), unix.F_OFD_SETLK, lock); err != unix.EAGAIN {
		t.Errorf("fcntl of a locked file: %v", err)
	}
	one.Close()
	s.must(unix.Flock(int(two.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	s.must(unix.FcntlFlock(two.Fd(), unix.F_OFD_SETLK, lock))

	// A program is mapped into memory. Not into ours: a page fault would hold the CPU that
	// is to serve it.
	if out, err := exec.Command("sh", "-c", `cp "$(command -v env)" "$0/env" && exec "$0/env"`, root).CombinedOutput(); err != nil {
		t.Errorf("a program on the disk: %v\n%s", err, out)
	}
	s.must(os.Remove(s.path("env")))

	s.must(os.Remove(s.path("a")))
	if _, err := two.WriteAt([]byte("b"), 0); err != nil {
		t.Errorf("write to a removed file: %v", err)
	}
	text := make([]byte, 5)
	if _, err := two.ReadAt(text, 0); err != nil || string(text) != "bello" {
		t.Errorf("read %q of a removed file, %v", text, err)
	}

	s.must(os.Symlink("b", s.path("link")))
	s.write("link", "x", 0)
	if got := s.files(); got != "b=x link=x" {
		t.Errorf("files %q", got)
	}
}
