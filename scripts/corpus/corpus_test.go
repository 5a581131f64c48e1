package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bounds are those of the table of R's prop.test(x, n, correct = FALSE).
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, n  int
		low, high float64
	}{
		{0, 0, 0, 1},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{5, 7, 0.3589, 0.9178},
		{25, 30, 0.6644, 0.9266},
	} {
		low, high := wilson(c.right, c.n)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.right, c.n, low, high, c.low, c.high)
		}
	}
}

func TestVerdicts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "read.txt")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("# heading\n\nexample.org/m a/b.go shardpad right: hashed: and hot\tlocks [8]lock\nexample.org/m a/b.go maxprocs wrong: a test\truntime.GOMAXPROCS(1)\n")
	verdicts, err := readVerdicts(name)
	if err != nil {
		t.Fatal(err)
	}
	m := module{fresh, "example.org/m", "v1.2.3"}
	l := look{module: m, Lines: 2e6, Findings: []finding{
		{Grade: "quiet", Check: "shardpad", File: "a/b.go", Text: "locks [8]lock", Line: 12},
		{Grade: "quiet", Check: "maxprocs", File: "a/b.go", Text: "runtime.GOMAXPROCS(1)"},
		{Grade: "quiet", Check: "maxprocs", File: "a/c.go", Text: "runtime.GOMAXPROCS(1)"},
		{Grade: "info", Check: "maxprocs", File: "a/c.go", Text: "runtime.GOMAXPROCS(2)"},
	}}
	if v, ok := m.verdict(l.Findings[0], verdicts); !ok || !v.right || v.why != "hashed: and hot" {
		t.Errorf("%+v, %v", v, ok)
	}
	got := sum([]look{l}, "quiet", "", verdicts)
	if want := (tally{modules: 1, lines: 2e6, findings: 3, read: 2, right: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := sum([]look{l}, "quiet", "shardpad", verdicts).findings; got != 1 {
		t.Errorf("%d findings of shardpad, want 1", got)
	}
	if s := got.String(); !strings.Contains(s, "3 findings,  1.50 per million lines; right 1 of 2 read, 50 %") {
		t.Errorf("%q", s)
	}
	for _, bad := range []string{"example.org/m a.go shardpad maybe: why\tx\n", "example.org/m a.go right: why\tx\n", "nothing\n"} {
		write(bad)
		if _, err := readVerdicts(name); err == nil || !strings.Contains(err.Error(), ":1: want MODULE FILE CHECK") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if v, err := readVerdicts(name + ".absent"); err != nil || v != nil {
		t.Errorf("without a file: %v, %v", v, err)
	}
}

// A go.mod that leans on its repository leans on releases instead.
func TestReleased(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\nreplace a => ../a\n\nreplace (\n\tb => ./b\n\tc => d v1.0.0\n)\n",
		"go.sum": "sums\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	modfile, err := released(dir, scratch, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(modfile)
	if err != nil || string(text) != "module m\n\n\nreplace (\n\tc => d v1.0.0\n)\n" {
		t.Errorf("%q, %v", text, err)
	}
	if sums, err := os.ReadFile(filepath.Join(scratch, "go.sum")); err != nil || string(sums) != "sums\n" {
		t.Errorf("%q, %v", sums, err)
	}
	if _, err := released(dir, scratch, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(modfile)
	if err != nil || string(text) != "module m\n\nreplace a => a v0.2.0\n\nreplace (\n\tb => b v0.2.0\n\tc => d v1.0.0\n)\n" {
		t.Errorf("with a release of the neighbours: %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if modfile, err := released(dir, scratch, ""); err != nil || modfile != "" {
		t.Errorf("without neighbours: %q, %v", modfile, err)
	}
}

// Both halves are of a size that says something.
func TestHalves(t *testing.T) {
	of := make(map[string]int)
	seen := make(map[string]bool)
	for _, m := range modules() {
		of[m.half]++
		if seen[m.path] || m.version == "" && m.path != std && m.path != "cmd" {
			t.Errorf("%v is there twice, or has no version", m)
		}
		seen[m.path] = true
	}
	if of[tuned] < 8 || of[fresh] < 8 || of[std] != 1 || len(of) != 3 {
		t.Errorf("%v", of)
	}
}
