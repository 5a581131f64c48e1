package lab_test

import (
	"os"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// The behaviour depends on the source alone.
func TestBehaviourIsTheSameAgain(t *testing.T) {
	rerun.Skip(t)
	a, err := lab.Behaviour()
	b, again := lab.BehaviourAnew()
	if a != b || len(a) != 16 || err != nil || again != nil {
		t.Errorf("%q and %q, %v, %v", a, b, err, again)
	}
}

// The published report is of the law and the calls as they are. It fails after a change
// of what the law decides, or of the calls: measure anew with make lab.
func TestPublishedReportIsOfThisLaw(t *testing.T) {
	rerun.Skip(t)
	file, err := os.Open("../docs/lab/lab.json")
	if err != nil {
		t.Skip(err) // the module alone
	}
	defer file.Close()
	f, err := figures.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if f.Run.Behaviour == "" {
		t.Skip("the published report is of a time before behaviour was recorded")
	}
	got, err := lab.Behaviour()
	if err != nil {
		t.Fatal(err)
	}
	if got != f.Run.Behaviour {
		t.Errorf("docs/lab is of a law or of calls that behaved as %s, and these behave as %s: measure anew with make lab", f.Run.Behaviour, got)
	}
}
