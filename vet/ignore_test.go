package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

func TestIgnore(t *testing.T) {
	// Two checks whose findings are those of one package: as one analyzer.
	ignore, falseShare := analyzer(t, "ignore", vet.Quiet), analyzer(t, "falseshare", vet.Quiet)
	both := *ignore
	both.Requires = append(both.Requires, falseShare.Requires...)
	both.Run = func(p *analysis.Pass) (any, error) {
		if _, err := ignore.Run(p); err != nil {
			return nil, err
		}
		return falseShare.Run(p)
	}
	analysistest.Run(t, analysistest.TestData(), &both, "ignore")
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
