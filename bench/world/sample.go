package main

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// The phases of a round.
const (
	before = "before" // the fixed numbers, before the automatic limit
	auto   = "auto"
	after  = "after" // the fixed numbers again
)

// windows are the parts of an automatic run that are judged, as shares of it:
// with 60 s, 0 to 30 s, all, and 40 to 60 s.
var windows = [...]struct{ from, to float64 }{{0, 0.5}, {0, 1}, {2.0 / 3, 1}}

type sample struct {
	Work    string
	Round   int // from 1
	Phase   string
	N       int      // 0 is automatic
	Rate    float64  // units per second
	Refused float64  // share of the units
	Others  *float64 // CPUs that processes other than ours used; nil if unknown
	Auto    *autoRun // of the automatic limit
}

// An autoRun is what a sample of the automatic limit has beyond its rate.
type autoRun struct {
	Rates [len(windows)]float64 // of the windows
	Limit float64               // mean of the last third
}

// newAutoRun returns what a trace says of an automatic run.
func newAutoRun(t trace) *autoRun {
	end := t.seconds()
	a := &autoRun{Limit: t.limit(windows[2].from*end, end)}
	for i, w := range windows {
		a.Rates[i] = t.rate(w.from*end, w.to*end)
	}
	return a
}

func (s *sample) line() string {
	n := "auto"
	if s.N > 0 {
		n = fmt.Sprint(s.N)
	}
	l := fmt.Sprintf("%-9s %d %-6s %5s %9s/s", s.Work, s.Round, s.Phase, n, stats.FormatRate(s.Rate))
	if s.Others != nil {
		l += fmt.Sprintf("  others %.2f CPUs", *s.Others)
	}
	if s.Refused > 0 {
		l += fmt.Sprintf("  refused %.2f %%", 100*s.Refused)
	}
	if s.Auto != nil {
		l += fmt.Sprintf("  limit %.1f", s.Auto.Limit)
	}
	return l
}
