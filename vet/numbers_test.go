package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

func TestNumbers(t *testing.T) {
	if got := expected(t, "numbers"); len(got) == 0 {
		t.Error("no number was found")
	}
}

// reportNumbers reports what an inventory lists, for the comments in testdata.
func reportNumbers(p *analysis.Pass, numbers []vet.Number) {
	for _, n := range numbers {
		p.Report(analysis.Diagnostic{Pos: n.Pos, End: n.End, Message: "numbers/" + n.String()})
	}
}
