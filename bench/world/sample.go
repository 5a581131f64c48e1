package main

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot"
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
	Work    string   `json:"work"`
	Round   int      `json:"round"` // from 1
	Phase   string   `json:"phase"`
	N       int      `json:"n,omitempty"` // 0 is automatic
	Seconds float64  `json:"seconds"`
	Rate    float64  `json:"rate"`    // units per second
	Refused float64  `json:"refused"` // share of the units
	Others  *float64 `json:"others"`  // CPUs that processes other than ours used; null if unknown
	Auto    *autoRun `json:"auto,omitempty"`
}

// An autoRun is what a sample of the automatic limit has beyond its rate.
type autoRun struct {
	Rates   [len(windows)]float64 `json:"rates"` // of the windows
	Limit   float64               `json:"limit"` // mean of the last third
	Seconds []second              `json:"seconds"`
	Changes []change              `json:"changes"`
}

// A change is a decision, with its reason in words.
type change struct {
	At     float64 `json:"at"` // s
	From   int     `json:"from"`
	To     int     `json:"to"`
	Reason string  `json:"reason"`
}

// newAutoRun returns what a trace and the decisions say of an automatic run.
func newAutoRun(t trace, decisions []sweetspot.Decision) *autoRun {
	end := t.seconds()
	a := &autoRun{Limit: t.limit(windows[2].from*end, end), Seconds: t.bySecond()}
	for i, w := range windows {
		a.Rates[i] = t.rate(w.from*end, w.to*end)
	}
	for _, c := range decisions {
		a.Changes = append(a.Changes, change{c.At.Seconds(), c.From, c.To, c.Reason.String()})
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
