package run_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestFileName(t *testing.T) {
	for value, want := range map[string]string{
		"a b": "a b", "a/b": `a\_b`, `a\b`: `a\\b`, "a\tb": `a\tb`, "a\x00b": `a\0b`, "a\nb": "a\nb",
		"": `\`, ".": `\.`, "..": `\..`, "...": "...", ".a": ".a", "/": `\_`, `\`: `\\`,
	} {
		if got := run.FileName(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	long := strings.Repeat("x", 300)
	a, b := run.FileName(long+"a"), run.FileName(long+"b")
	if len(a) != 255 || len(b) != 255 || a == b || !strings.HasPrefix(a, long[:200]) {
		t.Errorf("long values: %q and %q", a, b)
	}
}

// No two values have one name, and no name leads out of its directory.
func FuzzFileName(f *testing.F) {
	for _, s := range []string{"", ".", "..", "/", `\`, `\_`, `\.`, "a/b", `a\_b`, "\t", `\t`, strings.Repeat("/", 200), strings.Repeat("x", 255), strings.Repeat("x", 256)} {
		f.Add(s, s+"/")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := run.FileName(a), run.FileName(b)
		if a != b && x == y {
			t.Errorf("%q and %q are both %q", a, b, x)
		}
		if x == "" || x == "." || x == ".." || len(x) > 255 || strings.ContainsAny(x, "/\x00") {
			t.Errorf("%q becomes %q", a, x)
		}
	})
}

// A result has its name only when it is complete.
func TestResults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files in use cannot be renamed")
	}
	dir := t.TempDir()
	for range 2 { // the second replaces the first
		before, after, at, err := run.NewResults(dir).Keep(7, []string{"a/b", "c"}, "text", "")
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, "1", `a\_b`, "2", "c"); at != want {
			t.Errorf("in %s, want %s", at, want)
		}
		if !slices.Contains(before, "stdout.7.part") || !slices.Equal(after, []string{"seq", "stderr", "stdout"}) {
			t.Errorf("%q while the job ran, %q afterwards", before, after)
		}
		for name, want := range map[string]string{"stdout": "text", "stderr": "", "seq": "7"} {
			if got, err := os.ReadFile(filepath.Join(at, name)); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, want)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := run.NewResults(filepath.Join(dir, "file")).Keep(1, []string{"x"}, "", ""); err == nil || !strings.Contains(err.Error(), "--results: ") {
		t.Errorf("below a file: error %v", err)
	}
}

// Jobs with equal values that end at the same time do not mix: what is there is of one of them.
func TestResultsOfEqualValues(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files in use cannot be renamed")
	}
	dir := t.TempDir()
	results := run.NewResults(dir)
	for range 100 {
		var jobs sync.WaitGroup
		for seq := range int64(12) {
			jobs.Go(func() {
				text := strconv.FormatInt(seq, 10)
				if _, _, _, err := results.Keep(seq, []string{"same"}, text, text); err != nil {
					t.Error(err)
				}
			})
		}
		jobs.Wait()
		var texts []string
		for _, name := range []string{"stdout", "stderr", "seq"} {
			text, err := os.ReadFile(filepath.Join(dir, "1", "same", name))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		if len(slices.Compact(slices.Clone(texts))) != 1 {
			t.Fatalf("stdout, stderr and seq are of the jobs %q", texts)
		}
	}
}

// Other values have another place, also where they are too long for a path.
func TestResultsOfManyValues(t *testing.T) {
	results := run.NewResults(t.TempDir())
	long := strings.Repeat("x", 400)
	_, _, one, err := results.Keep(1, []string{"a b", "c", long, long, long, long}, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, other, err := results.Keep(2, []string{"a", "b c", long, long, long, long}, "2", ""); err != nil || other == one {
		t.Errorf("%v: both in %s", err, one)
	}
}
