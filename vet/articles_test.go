package vet_test

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

// notFound are the pitfalls of the articles that no check of grade quiet or info finds,
// and why.
var notFound = map[string]string{
	"a1Pool":      "units of unknown length go one by one through a buffered channel: right for long ones, so only a profile tells",
	"a3Allocates": "which allocations escape and cost is told by the compiler and a profile, hence by diagnose",
	"a5Buffer":    "which allocations escape and cost is told by the compiler and a profile, hence by diagnose",
	"d6AtOnce":    "1,000 goroutines by a constant are bounded, and cost 1 ms at most beside units of 1 ms each",
}

var systemName = regexp.MustCompile(`^[a-e][0-9]`)

// TestArticles looks for the articles' pitfalls with all checks up to grade info.
// Each system that has no finding must be an exception with a reason, and an exception
// must have none.
func TestArticles(t *testing.T) {
	found := make(map[string]bool)
	systems := make(map[string]bool)
	for _, r := range analysistest.Run(t, analysistest.TestData(), together(vet.Info), "articles") {
		for _, f := range r.Pass.Files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && systemName.MatchString(d.Name.Name) {
					name := d.Name.Name
					systems[name] = true
					found[name] = slices.ContainsFunc(r.Diagnostics, func(told analysis.Diagnostic) bool {
						return d.Pos() <= told.Pos && told.Pos < d.End()
					})
				}
			}
		}
	}
	for name := range systems {
		switch _, exception := notFound[name]; {
		case found[name] && exception:
			t.Errorf("%s is found: no exception", name)
		case !found[name] && !exception:
			t.Errorf("%s is not found: mend that or give the reason", name)
		}
	}
	for name := range notFound {
		if !systems[name] {
			t.Errorf("there is no system %s", name)
		}
	}
}

// TestIdioms runs the same checks on code that is as it should be.
func TestIdioms(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), together(vet.Info), "idioms")
}

// together returns an analyzer that runs all checks up to a grade, with the category
// put before each message.
func together(upTo vet.Grade) *analysis.Analyzer {
	list := vet.Analyzers(upTo)
	all := &analysis.Analyzer{Name: "all", Doc: "run all checks as one"}
	for _, a := range list {
		all.Requires = append(all.Requires, a.Requires...)
	}
	all.Run = func(p *analysis.Pass) (any, error) {
		for _, a := range list {
			q := *p
			q.Report = func(d analysis.Diagnostic) {
				d.Message = d.Category + ": " + d.Message
				p.Report(d)
			}
			if _, err := a.Run(&q); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	return all
}
