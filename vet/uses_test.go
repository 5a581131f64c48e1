package vet_test

import (
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A finding that stands at a declaration knows the lines that cost something.
func TestUses(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("the sizes in testdata are those of 64-bit systems")
	}
	for name, operations := range map[string][]string{
		"chanarray": {"<-", "range "},
		"shardpad":  {"ock()", ".Add(", ".Store("},
	} {
		text := make(map[string][]string) // the lines of each file
		with := 0
		for _, d := range run(t, name) {
			if len(d.Related) > 0 {
				with++
			}
			for _, r := range d.Related {
				at := analyzed().fset.Position(r.Pos)
				if text[at.Filename] == nil {
					src, err := os.ReadFile(at.Filename)
					if err != nil {
						t.Fatal(err)
					}
					text[at.Filename] = strings.Split(string(src), "\n")
				}
				line := text[at.Filename][at.Line-1]
				found := false
				for _, o := range operations {
					found = found || strings.Contains(line, o)
				}
				if !found {
					t.Errorf("%s: %s:%d is told to be a use: %s", name, filepath.Base(at.Filename), at.Line, line)
				}
			}
		}
		if with < 3 {
			t.Errorf("%s: %d findings know their uses, want most", name, with)
		}
	}
	// Those who do not ask for what only hot lines are worth have no use for them.
	for _, d := range run(t, "articles") {
		if strings.HasPrefix(d.Category, "chanarray/") && len(d.Related) > 0 {
			t.Errorf("up to info, %s has the uses %v", d.Message, d.Related)
		}
	}
}
