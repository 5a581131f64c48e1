package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestJobsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "jobs")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("3\n")
	l := sweetspot.New()
	var set []int // 0 is automatic
	var messages strings.Builder
	h, err := run.NewHand(l, name, 4, 20, &messages)
	if err != nil {
		t.Fatal(err)
	}
	if n, fixed, err := run.JobsLimit(name, 4); n != 3 || !fixed || err != nil {
		t.Errorf("-j FILE: %d, %v, %v, want 3", n, fixed, err)
	}
	for _, text := range []string{"3\n", " 5 ", "5", "50%", "+3", "-1\n", "many", "", "many", "-1", "auto", "auto\n", "0", "99"} {
		write(text)
		h.Look()
		n := l.Limit()
		if !l.Stats().Manual {
			n = 0
		}
		set = append(set, n)
	}
	if want := []int{0, 5, 5, 2, 7, 3, 3, 3, 3, 3, 0, 0, 0, 20}; !slices.Equal(set, want) {
		t.Errorf("set %v, want %v", set, want)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	h.Look()
	h.Look()
	want := []string{`"many" is not a number`, `"" is not a number`, `"many" is not a number`, "0, for as many as possible, is for -j itself", "no such file"}
	said := strings.Split(strings.TrimSuffix(messages.String(), "\n"), "\n")
	if len(said) != len(want) {
		t.Fatalf("said %q, want %q", said, want)
	}
	for i := range want {
		if !strings.Contains(said[i], want[i]) || !strings.Contains(said[i], "the number of jobs stays") {
			t.Errorf("said %q, want %q", said[i], want[i])
		}
	}
}

func TestJobsFileRefused(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"many":                           "the file FILE: \"many\" is not a number of jobs: want auto",
		"":                               "the file FILE: \"\" is not a number of jobs",
		"0":                              "the file FILE: 0, for as many as possible",
		strings.Repeat(" ", 1<<20) + "3": "the file FILE: \"\" is not a number",
	} {
		name := filepath.Join(dir, "jobs")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run.JobsLimit(name, 4); err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, "FILE", name)) {
			t.Errorf("a file with %.20q: %v, want %s", text, err, want)
		}
	}
	// A file that does not fit into memory, named by mistake.
	huge := filepath.Join(dir, "huge")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 1<<40)); err != nil {
		t.Log(err) // not every file system has such files
	} else if _, _, err := run.JobsLimit(huge, 4); err == nil || !strings.Contains(err.Error(), "is not a number of jobs") {
		t.Errorf("huge: %v", err)
	}
	if _, _, err := run.JobsLimit(dir, 4); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}
