package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inRoot runs the test in the root of the repository, as the command is run.
func inRoot(t *testing.T) {
	t.Helper()
	t.Chdir("../..")
}

// The table of rules and the law cannot drift apart: every edit finds its text
// and leaves Go behind.
func TestRulesFitTheSource(t *testing.T) {
	inRoot(t)
	for _, r := range rules {
		replaced, err := edited("control", t.TempDir(), r.Edits)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
		} else if len(replaced) == 0 {
			t.Errorf("without %s: nothing changed", r.Name)
		}
		for _, f := range replaced {
			if _, err := parser.ParseFile(token.NewFileSet(), f, nil, 0); err != nil {
				t.Errorf("without %s: %v", r.Name, err)
			}
		}
	}
}

func TestRulesAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if r.Name == "" || r.Purpose == "" || len(r.Edits) == 0 || seen[r.Name] {
			t.Errorf("%+v: want a name of its own, a purpose and an edit", r)
		}
		seen[r.Name] = true
	}
}

func TestEditThatFindsNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "search.go"), []byte("package control\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := edited(dir, t.TempDir(), []edit{{"package", "package"}, {"no such text", ""}})
	if err == nil || !strings.Contains(err.Error(), "no such text") {
		t.Errorf("got %v, want an error that names the text", err)
	}
}
