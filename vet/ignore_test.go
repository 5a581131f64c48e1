package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

func TestIgnore(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), together(vet.Quiet), "ignore")
}

func TestTests(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer(t, "falseshare", vet.Quiet, vet.Tests()), "tests")
	for _, r := range analysistest.Run(silent{t}, analysistest.TestData(), analyzer(t, "falseshare", vet.Hot), "tests") {
		if len(r.Diagnostics) > 0 {
			t.Errorf("without the option Tests, the file of tests has %d findings", len(r.Diagnostics))
		}
	}
}

// silent takes the comments that no finding matches for granted.
type silent struct{ *testing.T }

func (silent) Errorf(string, ...any) {}
