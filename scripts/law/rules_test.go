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
	src, err := filepath.Glob("control/search*.go")
	if err != nil || len(src) == 0 {
		t.Fatalf("the law's source: %q, %v", src, err)
	}
	for _, r := range rules {
		dir := t.TempDir()
		for _, f := range src {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := edited(dir, r.edits); err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		changed := 0
		for _, f := range src {
			was, _ := os.ReadFile(f)
			is, err := os.ReadFile(filepath.Join(dir, filepath.Base(f)))
			if err != nil {
				t.Fatal(err)
			}
			if string(was) == string(is) {
				continue
			}
			changed++
			if _, err := parser.ParseFile(token.NewFileSet(), f, is, 0); err != nil {
				t.Errorf("without %s: %v", r.name, err)
			}
		}
		if changed == 0 {
			t.Errorf("without %s: nothing changed", r.name)
		}
	}
}

func TestRulesAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if r.name == "" || r.purpose == "" || len(r.edits) == 0 || seen[r.name] {
			t.Errorf("%+v: want a name of its own, a purpose and an edit", r)
		}
		seen[r.name] = true
	}
}

func TestEditThatFindsNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "search.go"), []byte("package control\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := edited(dir, []edit{{"package", "package"}, {"no such text", ""}})
	if err == nil || !strings.Contains(err.Error(), "no such text") {
		t.Errorf("got %v, want an error that names the text", err)
	}
}
