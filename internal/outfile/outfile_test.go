package outfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("longer than what comes"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	f := outfile.New(&stdout)
	defer f.Close()
	for flag, path := range map[string]string{"--none": "", "--old": old, "--new": filepath.Join(dir, "new"), "--out": "-", "--null": os.DevNull} {
		if err := f.Add(flag, path, says(flag)); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, old); got != "longer than what comes" || !f.TakesStdout() {
		t.Errorf("before Write the file holds %q, and standard output is taken: %v", got, f.TakesStdout())
	}
	if err := f.Write(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if a, b := read(t, old), read(t, filepath.Join(dir, "new")); a != "--old" || b != "--new" || stdout.String() != "--out" {
		t.Errorf("the files hold %q, %q and standard output %q", a, b, stdout.String())
	}
}

// What was there stays if there is nothing new, and what was not there is not made. The other outputs are written.
func TestNothingNew(t *testing.T) {
	dir := t.TempDir()
	old, fresh, other := filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "other")
	if err := os.WriteFile(old, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := outfile.New(io.Discard)
	failed := errors.New("failed")
	if err := errors.Join(
		f.Add("--old", old, func(io.Writer) error { return failed }),
		f.Add("--new", fresh, func(io.Writer) error { return failed }),
		f.Add("--other", other, says("other")),
	); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(); !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), "--old: ") {
		t.Errorf("%v, want that --old failed", err)
	}
	f.Close()
	if old, other := read(t, old), read(t, other); old != "as it was" || other != "other" {
		t.Errorf("the old file holds %q, the other %q", old, other)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("the new file: %v", err)
	}
}

// A file that cannot be written, as on a full disk, costs none of the others.
func TestWriteGoesOn(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	fresh := filepath.Join(t.TempDir(), "new")
	var stdout strings.Builder
	f := outfile.New(&stdout)
	defer f.Close()
	if err := errors.Join(
		f.Add("--full", "/dev/full", says("full")),
		f.Add("--new", fresh, says("new")),
		f.Add("--out", "-", says("out")),
	); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(); err == nil || !strings.HasPrefix(err.Error(), "--full: ") {
		t.Errorf("%v, want that --full failed", err)
	}
	if got := read(t, fresh); got != "new" || stdout.String() != "out" {
		t.Errorf("the other outputs hold %q and %q", got, stdout.String())
	}
}

// A link to a file that is not there is not ours to remove; what Add makes there is.
func TestNothingNewBehindLink(t *testing.T) {
	dir := t.TempDir()
	link, fresh := filepath.Join(dir, "link"), filepath.Join(dir, "new")
	if err := os.Symlink("new", link); err != nil {
		t.Skip(err)
	}
	f := outfile.New(io.Discard)
	if err := f.Add("--link", link, says("new")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := os.Lstat(link); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("the new file: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	f := outfile.New(io.Discard)
	defer f.Close()
	for _, c := range []struct{ flag, path, want string }{
		{"--json", "-", ""},
		{"--html", "-", "--json - and --html - would both write to standard output"},
		{"--a", file, ""},
		{"--b", file, "--a and --b would both write to " + file},
		{"--b", dir + "/./file", "--a and --b would both write to " + dir + "/./file"},
		{"--c", filepath.Join(dir, "no", "file"), "--c: open "},
	} {
		switch err := f.Add(c.flag, c.path, says("")); {
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%s %s: %v, want an error that begins with %q", c.flag, c.path, err, c.want)
		}
	}
}

// Two that write to one file, each from where it has got to, write over each other.
func TestAddRefusesStandardStreams(t *testing.T) {
	dir := t.TempDir()
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	stdout, stderr, old := create("stdout"), create("stderr"), os.Stderr
	os.Stderr = stderr
	defer func() { os.Stderr = old }()
	f := outfile.New(stdout)
	defer f.Close()
	for stream, file := range map[string]*os.File{"standard output": stdout, "standard error": stderr} {
		want := "--json and " + stream + " would both write to " + file.Name() + ": "
		if err := f.Add("--json", file.Name(), says("")); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "or -") {
			t.Errorf("%s: %v, want an error that begins with %q and names what is right", stream, err, want)
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	os.Stderr = null
	if err := f.Add("--json", os.DevNull, says("")); err != nil {
		t.Error(err)
	}
}
