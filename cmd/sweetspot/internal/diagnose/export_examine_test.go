package diagnose

import (
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// Examine ranks the causes that an observation shows.
func Examine(o *evidence.Observation, static []Static, steady float64) []Finding {
	return examine(o, static, sources{}, steady)
}

// ReportOn makes a report whose circumstances are always the same.
func ReportOn(all []*evidence.Observation, static []Static) *Report {
	r := reportOn(all, static, Recorded{What: "sweetspot diagnose .", Began: time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC), Seconds: 12, Rounds: 6, Steady: 1.01})
	r.Machine = figures.Machine{Model: "a CPU", CPUs: 8, OS: "linux", Arch: "amd64", Go: "go1.26.0"}
	for _, t := range r.Targets {
		for i := range t.Scaling {
			t.Scaling[i] = scalingOf(t.Scaling[i].By, t.Scaling[i].Points, r.Machine.CPUs)
		}
	}
	return r
}

// Line is what is known of a line of a file.
type Line struct{ Spawns, Recurses, Channel, MakeChan, Locks, Stores, Adds, Library bool }

func LineAt(file string, n int) (Line, bool) {
	l := readLines(file)[n]
	if l == nil {
		return Line{}, false
	}
	return Line{l.spawns, l.recurses, l.channel, l.makeChan, l.locks, l.stores, l.adds, l.library}, true
}

// FunctionOf is the declared function that a place is in.
func FunctionOf(p dissect.Place) string { return (&examination{src: sources{}}).function(p) }

var (
	Outer    = outer
	Governed = governed
	Spelled  = spelled
)
