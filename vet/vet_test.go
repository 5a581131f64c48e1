package vet_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

// packages are those in testdata that have comments on what is said of them. Most are
// called as the check that they are for, or are in its directory. It is run up to grade
// hot; its fixes are compared with the .golden files.
var packages = []string{
	"chanarray", "chanitem", "falseshare", "maxprocs", "maxprocs/other", "recspawn", "shardpad", "unboundedgo",
	"articles", "idioms", "ignore", "numbers",
}

// together are the packages on which all checks are run, up to a grade.
var together = map[string]vet.Grade{
	"articles": vet.Info,
	"idioms":   vet.Info,
	"ignore":   vet.Quiet,
}

// run compares what the checks say of a package in testdata with its comments. Each
// message there has its category before it.
func run(t *testing.T, name string) []analysis.Diagnostic {
	t.Helper()
	found := expected(t, name)
	for _, d := range found {
		check, _, _ := strings.Cut(d.Category, "/")
		if want := fmt.Sprintf("%s/%v", check, vet.GradeOf(d)); d.Category != want {
			t.Errorf("category %q, want %q", d.Category, want)
		}
		if want := "https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/" + check + ".md"; d.URL != want {
			t.Errorf("URL %q, want %q", d.URL, want)
		}
	}
	return found
}

// expected compares all that is said of a package in testdata with its comments.
func expected(t *testing.T, name string) []analysis.Diagnostic {
	t.Helper()
	all := analyzed()
	for _, e := range all.errors {
		about, first := "", len(e)
		for _, p := range packages {
			if i := strings.Index(e, p+"/"); 0 <= i && i < first {
				about, first = p, i
			}
		}
		if about == name || about == "" { // those of no package are everybody's
			t.Error(e)
		}
	}
	found, ok := all.found[name]
	if !ok {
		t.Fatalf("package %s was not analysed: is it listed?", name)
	}
	return found
}

// An outcome is what analysistest has to say of the packages, and what was found.
type outcome struct {
	errors []string
	found  map[string][]analysis.Diagnostic // by package, as files
	files  map[string][]*ast.File
	fset   *token.FileSet
}

func (o *outcome) Errorf(format string, args ...any) {
	o.errors = append(o.errors, fmt.Sprintf(format, args...))
}

// analyzed runs the checks on all packages at once: what takes long is to load the
// standard library.
var analyzed = sync.OnceValue(func() *outcome {
	byGrade := make(map[vet.Grade][]*analysis.Analyzer)
	numbers := vet.Numbers()
	all := &analysis.Analyzer{Name: "all", Doc: "run several checks as one", Requires: []*analysis.Analyzer{numbers}}
	for g := vet.Quiet; g <= vet.Hot; g++ {
		byGrade[g] = vet.Analyzers(g)
		for _, a := range byGrade[g] {
			all.Requires = append(all.Requires, a.Requires...)
		}
	}
	all.Run = func(p *analysis.Pass) (any, error) {
		if p.Pkg.Path() == "numbers" {
			reportNumbers(p, p.ResultOf[numbers].([]vet.Number))
			return nil, nil
		}
		grade, every := together[p.Pkg.Path()]
		if !every {
			grade = vet.Hot
		}
		for _, a := range byGrade[grade] {
			if check, _, _ := strings.Cut(p.Pkg.Path(), "/"); !every && a.Name != check {
				continue
			}
			q := *p
			q.Report = func(d analysis.Diagnostic) {
				d.Message = d.Category + ": " + d.Message
				if every {
					d.SuggestedFixes = nil // those are for the check's own package
				}
				p.Report(d)
			}
			if _, err := a.Run(&q); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	o := &outcome{found: make(map[string][]analysis.Diagnostic), files: make(map[string][]*ast.File)}
	for _, r := range analysistest.RunWithSuggestedFixes(o, analysistest.TestData(), all, packages...) {
		path := r.Pass.Pkg.Path()
		o.found[path], o.files[path], o.fset = r.Diagnostics, r.Pass.Files, r.Pass.Fset
	}
	return o
})
