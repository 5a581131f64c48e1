package main

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAPI: what the module exports is what api.txt says.
func TestAPI(t *testing.T) {
	root := filepath.Join("..", "..")
	got, err := surface(root)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(root, "api.txt"))
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Fatalf("line %d of api.txt is not exported any more: %s", i+1, w[i])
		case i >= len(w) || g[i] != w[i]:
			t.Fatalf("what is exported differs from line %d of api.txt on: %s\nIf that is meant: go run ./scripts/api > api.txt, and an entry in CHANGELOG.md", i+1, g[i])
		}
	}
}

// TestFewNames: a reader learns the root package in one sitting.
func TestFewNames(t *testing.T) {
	d, _, err := load(filepath.Join("..", ".."), ".")
	if err != nil {
		t.Fatal(err)
	}
	names := len(d.Types) + len(d.Funcs)
	for _, v := range append(d.Consts, d.Vars...) {
		names += len(v.Names)
	}
	for _, ty := range d.Types {
		names += len(ty.Funcs)
		for _, v := range append(ty.Consts, ty.Vars...) {
			names += len(v.Names)
		}
	}
	t.Logf("%d exported names", names)
	if names > 60 {
		t.Errorf("the root package exports %d names, want at most 60", names)
	}
}

// TestExamples: every exported function and method has an example.
func TestExamples(t *testing.T) {
	root := filepath.Join("..", "..")
	trivial := map[string]bool{"Histogram_Count": true}
	for _, name := range packages {
		tests, err := filepath.Glob(filepath.Join(root, name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, file := range tests { // of all systems
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range doc.Examples(f) {
				whose, _, _ := strings.Cut(e.Name, "_")
				has[e.Name], has[whose] = true, true
			}
		}
		d, _, err := load(root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ty := range d.Types {
			d.Funcs = append(d.Funcs, slices.Concat(ty.Funcs, ty.Methods)...)
		}
		for _, f := range d.Funcs {
			e := f.Name
			if of, _, _ := strings.Cut(strings.TrimPrefix(f.Recv, "*"), "["); of != "" {
				e = of + "_" + f.Name
			}
			if !has[e] && !trivial[e] {
				t.Errorf("package %s: there is no Example%s", d.Name, e)
			}
		}
	}
}

// TestNoComments: comments may change freely.
func TestNoComments(t *testing.T) {
	got, err := surface(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	allowed := regexp.MustCompile(`^package \w+ // |// contains filtered or unexported|// Has unexported`)
	for line := range strings.Lines(got) {
		if strings.Contains(line, "//") && !allowed.MatchString(strings.TrimSpace(line)) {
			t.Errorf("a comment: %s", line)
		}
	}
}
