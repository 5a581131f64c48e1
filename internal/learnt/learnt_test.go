package learnt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/learnt"
)

// fileOf returns the path of the lesson about work in a folder.
func fileOf(dir, work string) string {
	return learnt.File(dir, learnt.Digest(learnt.WorkDigits, work), 2)
}

// keep keeps a limit.
func keep(t *testing.T, file string, limit int) {
	t.Helper()
	if err := (learnt.Lesson{Name: "work", Limit: limit, Rate: 10}).Keep(file); err != nil {
		t.Fatal(err)
	}
}

func TestReadNamesWhatIsWrong(t *testing.T) {
	file := fileOf(t.TempDir(), "a")
	for content, want := range map[string]string{
		"":                           "it is damaged",
		`{"version":1,"limit":3`:     "it is damaged",
		`{"version":2,"limit":3}`:    "it is of version 2, and this sweetspot reads 1",
		`{"version":1,"limit":-3}`:   "it is damaged: a figure is out of range",
		`{"version":1,"limit":3}`:    "it is damaged: a figure is out of range",
		strings.Repeat(" ", 100_000): "it is damaged: longer than 4096 bytes",
		`{"version":1,"limit":3,"rate":1,"weight":-1}`:       "it is damaged: a figure is out of range",
		`{"version":1,"limit":3,"rate":1,"memory_bytes":-1}`: "it is damaged: a figure is out of range",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := learnt.Read(file); l != nil || err == nil || !strings.Contains(err.Error(), file+": "+want) {
			t.Errorf("%.50q: %+v, %v, want %q", content, l, err, want)
		}
		keep(t, file, 4)
		if l, err := learnt.Read(file); err != nil || l.Limit != 4 || time.Since(l.Learnt) > time.Hour {
			t.Errorf("%.50q: %+v, %v once it was kept anew", content, l, err)
		}
	}
}

// Any name makes a file that can be read.
func TestKeepClipsNames(t *testing.T) {
	file := fileOf(t.TempDir(), "a")
	for _, name := range []string{"", "ü", strings.Repeat("ü\x00\xff", 5000)} {
		if err := (learnt.Lesson{Name: name, Limit: 1, Rate: 1}).Keep(file); err != nil {
			t.Fatal(err)
		}
		if _, err := learnt.Read(file); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

// Processes that keep the same at the same time read and write whole files.
func TestKeepWhileOthersRead(t *testing.T) {
	dir := t.TempDir()
	file := fileOf(dir, "a")
	keep(t, file, 1)
	var processes sync.WaitGroup
	for i := range 8 {
		processes.Go(func() {
			for range 20 {
				keep(t, file, i+1)
				if l, err := learnt.Read(file); err != nil || l.Limit < 1 || l.Limit > 8 {
					t.Errorf("got %+v, %v", l, err)
				}
			}
		})
	}
	processes.Wait()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v are left, %v; want one file", files, err)
	}
}

// A folder is bounded: the oldest lesson goes, and no file of others.
func TestKeepRemovesTheOldest(t *testing.T) {
	dir := t.TempDir()
	oldest := fileOf(dir, "oldest")
	keep(t, oldest, 1)
	theirs := []string{"notes.json", "0123456789abcdef-01234567.txt", ".profile"}
	for _, name := range theirs {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range append(theirs, filepath.Base(oldest)) {
		if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	for i := range learnt.Most {
		keep(t, fileOf(dir, fmt.Sprint(i)), 1)
	}
	if files, err := learnt.Files(dir, ""); err != nil || len(files) != learnt.Most {
		t.Errorf("%d files, %v; want %d", len(files), err, learnt.Most)
	}
	if _, err := os.Stat(oldest); err == nil {
		t.Error("the oldest is still there")
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a-z]*") // no pattern
	if files, err := learnt.Files(dir, ""); files != nil || err != nil {
		t.Errorf("%v, %v in a folder that is not there", files, err)
	}
	a, b := fileOf(dir, "a"), fileOf(dir, "b")
	keep(t, a, 1)
	keep(t, b, 1)
	if files, err := learnt.Files(dir, learnt.Digest(learnt.WorkDigits, "a")+"-"); err != nil || len(files) != 1 || files[0] != a {
		t.Errorf("%v, %v; want %s", files, err, a)
	}
	if other := learnt.File(dir, learnt.Digest(learnt.WorkDigits, "a"), 1); other == a {
		t.Error("another quota has the same file")
	}
}
