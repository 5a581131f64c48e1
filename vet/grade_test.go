package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

func TestGrade(t *testing.T) {
	for grade, name := range map[vet.Grade]string{vet.Quiet: "quiet", vet.Info: "info", vet.Hot: "hot"} {
		if grade.String() != name {
			t.Errorf("%d is called %q, want %q", int(grade), grade, name)
		}
		if got := vet.GradeOf(analysis.Diagnostic{Category: "falseshare/" + name}); got != grade {
			t.Errorf("a finding of falseshare/%s has grade %v", name, got)
		}
	}
	if got := vet.Grade(7).String(); got != "Grade(7)" {
		t.Errorf("Grade(7) is called %q", got)
	}
	for _, category := range []string{"", "quiet", "printf", "falseshare/", "falseshare/Quiet"} {
		if got := vet.GradeOf(analysis.Diagnostic{Category: category}); got != vet.Hot {
			t.Errorf("a diagnostic of category %q has grade %v, want hot", category, got)
		}
	}
}

func TestAnalyzers(t *testing.T) {
	names := make(map[string]bool)
	var last int
	for grade := vet.Quiet; grade <= vet.Hot; grade++ {
		list := vet.Analyzers(grade)
		if err := analysis.Validate(list); err != nil {
			t.Fatal(err)
		}
		if len(list) < last {
			t.Errorf("%d analyzers up to %v, but %d for less", len(list), grade, last)
		}
		last = len(list)
		for _, a := range list {
			names[a.Name] = true
		}
	}
	if len(names) != last {
		t.Errorf("%d names up to hot, but %d analyzers", len(names), last)
	}
}

func TestAnalyzersPanics(t *testing.T) {
	for _, grade := range []vet.Grade{-1, 3} {
		func() {
			defer func() {
				want := "sweetspot: vet.Analyzers: no such grade: "
				if got, _ := recover().(string); len(got) < len(want) || got[:len(want)] != want {
					t.Errorf("Analyzers(%d) panics with %q, want %q and so on", int(grade), got, want)
				}
			}()
			vet.Analyzers(grade)
		}()
	}
}
