package vet_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

// run compares what a check says of packages in testdata with their comments, and its
// fixes with the .golden files. Every message there begins with its grade.
func run(t *testing.T, check string, packages ...string) {
	t.Helper()
	a := analyzer(t, check, vet.Hot)
	for _, r := range analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), a, packages...) {
		for _, d := range r.Diagnostics {
			if want := fmt.Sprintf("%s/%v", check, vet.GradeOf(d)); d.Category != want {
				t.Errorf("category %q, want %q", d.Category, want)
			}
			if want := "https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/" + check + ".md"; d.URL != want {
				t.Errorf("URL %q, want %q", d.URL, want)
			}
		}
	}
}

// analyzer returns the one of that name, with the grade put before each message.
func analyzer(t *testing.T, check string, upTo vet.Grade, opts ...vet.Option) *analysis.Analyzer {
	t.Helper()
	for _, a := range vet.Analyzers(upTo, opts...) {
		if a.Name != check {
			continue
		}
		run := a.Run
		a.Run = func(p *analysis.Pass) (any, error) {
			q := *p
			q.Report = func(d analysis.Diagnostic) {
				d.Message = vet.GradeOf(d).String() + ": " + d.Message
				p.Report(d)
			}
			return run(&q)
		}
		return a
	}
	t.Fatalf("there is no check %q up to grade %v", check, upTo)
	return nil
}
