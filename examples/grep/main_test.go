package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tree(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCommand(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"a.go": "one\nTwo\n", "b/c.go": "two", "d.bin": "two\x00\n"}))
	path := filepath.FromSlash
	for _, test := range []struct {
		args string
		code int
		out  string
		errs string // part of what is printed or returned
	}{
		{args: "two", out: "b/c.go:two\n"},
		{args: "-i -n two .", out: "a.go:2:Two\nb/c.go:1:two\n"},
		{args: "-j 3 o b a.go", out: "b/c.go:two\na.go:one\na.go:Two\n"},
		{args: "nothing-like-it", code: exitNone},
		{args: "two b gone", code: exitError, out: "b/c.go:two\n", errs: "gone"},
		{args: "(", code: exitError, errs: "missing closing )"},
		{args: "-no-such-flag two", code: exitError, errs: "no-such-flag"},
		{args: "-j -1 two", code: exitError, errs: "want a number of files"},
		{args: "", code: exitError, errs: "usage"},
		{args: "-help", errs: "usage"},
	} {
		var out, errs strings.Builder
		code, err := command(t.Context(), strings.Fields(test.args), &out, &errs)
		if err != nil {
			errs.WriteString(err.Error())
		}
		if code != test.code || out.String() != path(test.out) || !strings.Contains(errs.String(), test.errs) || test.errs == "" && errs.Len() > 0 {
			t.Errorf("grep %s: code %d, out %q, errs %q: want code %d, out %q, errs with %q",
				test.args, code, &out, &errs, test.code, test.out, test.errs)
		}
	}
}

// What the walk and what the search cannot read is reported, all of it: the two are in
// different goroutines.
func TestAllErrorsAreReported(t *testing.T) {
	unreadable := filepath.Join(tree(t, map[string]string{"a": "two"}), "a")
	if err := os.Chmod(unreadable, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(unreadable); err == nil {
		unreadable = "/proc/self/mem" // which nobody reads from its beginning
		if _, err := os.ReadFile(unreadable); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Skip("this user can read every file")
		}
	}
	gone := filepath.Join(t.TempDir(), "gone")
	const each = 500
	args := []string{"-j", "2", "two"}
	for range each {
		args = append(args, gone, unreadable)
	}
	code, err := command(t.Context(), args, io.Discard, io.Discard)
	if code != exitError || err == nil {
		t.Fatalf("code %d, %v", code, err)
	}
	if got := strings.Count(err.Error(), "\n") + 1; got != 2*each {
		t.Errorf("%d errors are reported, want %d", got, 2*each)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := tree(t, map[string]string{"a": "x\n"})
	if code, err := command(ctx, []string{"x", dir}, os.Stdout, os.Stderr); code != exitInterrupted {
		t.Errorf("code %d, %v: want %d", code, err, exitInterrupted)
	}
}
