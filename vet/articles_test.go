package vet_test

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// notFound are the pitfalls of the articles that no check of grade quiet or info finds,
// and why.
var notFound = map[string]string{
	"a1Pool":      "units of unknown length go one by one through a buffered channel: right for long ones, so only a profile tells",
	"a3Allocates": "which allocations escape and cost is told by the compiler and a profile, hence by diagnose",
	"a5Buffer":    "which allocations escape and cost is told by the compiler and a profile, hence by diagnose",
	"a9Unbounded": "for units that wait a goroutine each is the fastest; that they may be too many is told at grade hot",
	"d6AtOnce":    "1,000 goroutines by a constant are bounded, and cost 1 ms at most beside units of 1 ms each",
}

var systemName = regexp.MustCompile(`^[a-e][0-9]`)

// TestArticles looks for the articles' pitfalls with all checks up to grade info.
// Each system that has no finding must be an exception with a reason, and an exception
// must have none.
func TestArticles(t *testing.T) {
	told := run(t, "articles")
	found := make(map[string]bool)
	systems := make(map[string]bool)
	for _, f := range analyzed().files["articles"] {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && systemName.MatchString(d.Name.Name) {
				systems[d.Name.Name] = true
				found[d.Name.Name] = slices.ContainsFunc(told, func(told analysis.Diagnostic) bool {
					return d.Pos() <= told.Pos && told.Pos < d.End()
				})
			}
		}
	}
	for name := range systems {
		switch _, exception := notFound[name]; {
		case found[name] && exception:
			t.Errorf("%s is found: no exception", name)
		case !found[name] && !exception:
			t.Errorf("%s is not found: fix that or give the reason", name)
		}
	}
	for name := range notFound {
		if !systems[name] {
			t.Errorf("there is no system %s", name)
		}
	}
}

// TestIdioms runs the same checks on code that is as it should be.
func TestIdioms(t *testing.T) { run(t, "idioms") }
