package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	b := build{about: "a build", numbers: []int{1, 2, 4}}
	got := table([]row{{b, map[int]float64{ours: 2.1, 1: 4, 2: 2, 4: 2.2}}}, 3)
	if want := "| a build | 2 | 2.00 | 1.05 | 2.00 (1) | 1.10 (4) |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the row %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil || !strings.Contains(string(text), "<!-- jobserver -->\n") || !strings.Contains(string(text), "<!-- end of jobserver -->") {
		t.Errorf("%s has no place for the table: %v", page, err)
	}
}

// Each project has what its build needs, and what a build made is gone after clean.
func TestBuilds(t *testing.T) {
	for _, b := range builds() {
		dir := filepath.Join(t.TempDir(), b.name)
		if err := b.generate(dir); err != nil {
			t.Fatal(err)
		}
		count := func() int {
			all, err := filepath.Glob(filepath.Join(dir, "*"))
			deep, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
			if err != nil || len(all) == 0 {
				t.Errorf("%s: nothing is there: %v", b.name, err)
			}
			return len(all) + len(deep)
		}
		before := count()
		made := filepath.Join(dir, strings.ReplaceAll(b.made, "*/", "part0/"))
		if err := os.WriteFile(strings.ReplaceAll(made, "*", "f0"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := b.clean(dir); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != before {
			t.Errorf("%s: %d files after clean, %d before", b.name, n, before)
		}
	}
}
