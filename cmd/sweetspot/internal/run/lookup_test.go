package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestLookup(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"frobnicate": 0o755, "frobnicator": 0o755, "plain": 0o644, "ab": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+filepath.Join(dir, "missing"))
	if got, err := run.Lookup("frobnicate", "-c"); err != nil || got != filepath.Join(dir, "frobnicate") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("BASH_FUNC_frobnicata%%", "() {  true\n}")
	for name, want := range map[string]string{
		"frobnicata":                  "a function of bash needs -c",
		"":                            "name is empty",
		"frobincate":                  "did you mean frobnicate?",
		"frobnicatr":                  "did you mean frobnicate?",
		"xyzzy":                       "command not found: xyzzy",
		"ls -l":                       "a shell line needs -c",
		"-k":                          "come before the command",
		"xy":                          "command not found: xy",
		filepath.Join(dir, "plain"):   "not executable",
		dir:                           dir + " is a directory",
		filepath.Join(dir, "nothing"): "command not found",
	} {
		_, err := run.Lookup(name, "-c")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%q): %v, want %q", name, err, want)
		}
	}
	if _, err := run.Lookup("frobnicata", "sh -c"); !strings.Contains(err.Error(), "a function of bash needs bash -c") {
		t.Errorf("%v: sh may be another shell", err)
	}
	if _, err := run.Lookup("xy", "-c"); strings.Contains(err.Error(), "mean") {
		t.Errorf("%v: two slips in two letters", err)
	}
}
