package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	b := build{about: "a build", numbers: []int{1, 2, 4}}
	got := table([]row{{b, map[int]float64{ours: 2.1, 1: 4, 2: 2, 4: 2.2}}}, 3).String()
	if want := "| a build | 2 | 2.00 | 1.05 | 2.00 (1) | 1.10 (4) |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the row %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil || !strings.Contains(string(text), "<!-- jobserver -->\n") || !strings.Contains(string(text), "<!-- end of jobserver -->") {
		t.Errorf("%s has no place for the table: %v", page, err)
	}
}

// Each project has what its build needs, and one of the user's is copied with its times.
func TestBuilds(t *testing.T) {
	for _, b := range builds() {
		dir := filepath.Join(t.TempDir(), b.name)
		if err := b.generate(dir); err != nil {
			t.Fatal(err)
		}
		all, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(all) == 0 {
			t.Errorf("%s: nothing is there: %v", b.name, err)
		}
		mine := project(dir, "make -s all")
		to := filepath.Join(t.TempDir(), "copy")
		if err := mine.generate(to); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(all[0])
		a, err := os.Stat(all[0])
		c, err2 := os.Stat(filepath.Join(to, name))
		if err != nil || err2 != nil || !a.ModTime().Equal(c.ModTime()) {
			t.Errorf("%s: %s is not the same in the copy: %v, %v", b.name, name, err, err2)
		}
	}
}
