package sim

import (
	"math"

	"github.com/sweetspot-go/sweetspot/control"
)

// A Result says how a controller did in one run.
type Result struct {
	// Score is the mean over time of X(limit)/X(N*): the throughput that the
	// limit in force sustains over that of the sweet spot, from the start, the
	// search included. At most 1/0.98.
	Score float64
	Last  float64 // the same over the last third of the run
	Ratio float64 // mean of limit/N* over the last third
	// Settled is as Score, but from 10 s on: without the search. NaN in a run
	// that is no longer than that.
	Settled float64
	// T95 is the time of the first instant from which Score's ratio is at
	// least 0.95 for a second, s; +Inf if that never happens.
	T95 float64
	// Recover is the longest time that it took, after a phase began in which
	// X or N* is different, until X(limit)/X(N*) >= 0.95 and limit <= 1.5 N*
	// for a second, s. +Inf if it never did, NaN if there is no such phase.
	Recover float64
	// Act is the number of units that actually completed over the number that
	// the sweet spot would complete: the check that Score is not bought with a
	// limit that the units in flight do not follow. The noise is in it.
	Act       float64
	NStar     int   // N* of the first phase
	Completed int64 // units
	Trace     []Point
	Changes   []Change
}

// A Point is a 100 ms stretch of a run; At is its end.
type Point struct {
	At       float64 // s
	X, XBest float64 // throughput that the limit sustains, and that of N*, 1/s
	Limit    int     // in force at the end
	InFlight int     // units, at the end
	NStar    int
	Rate     float64 // units completed, 1/s
	Usage    float64 // CPU used by the work, share of the machine
}

// A Change is a limit that was put in force.
type Change struct {
	At       float64 // s
	From, To int
	Reason   control.Reason
}

const (
	near     = 0.95 // the ratio that T95 and Recover ask for
	hold     = 1.0  // s for which it must last
	fewTimes = 1.5  // limit/N* that Recover allows
	settling = 10.0 // s that Settled leaves out

	ticksPerSecond = 100 // 1/tick; dividing by it gives the decimal fraction
)

// score works out the figures from the steps, one per tick.
func (r *Result) score(steps []step) {
	third := len(steps) - len(steps)/3
	settled := min(int(math.Round(settling/tick)), len(steps))
	var all, late, last, ratio, ideal float64
	for i, s := range steps {
		all += s.x / s.best
		ideal += s.best * tick
		if i >= settled {
			late += s.x / s.best
		}
		if i >= third {
			last += s.x / s.best
			ratio += float64(s.limit) / float64(s.nstar)
		}
	}
	n := float64(len(steps) - third)
	r.Score = all / float64(len(steps))
	r.Settled = late / float64(len(steps)-settled) // 0/0 is NaN
	r.Last = last / n
	r.Ratio = ratio / n
	r.Act = float64(r.Completed) / ideal
	r.T95 = firstHeld(steps, func(s step) bool { return s.x >= near*s.best })
	r.Recover = slowestRecovery(steps)
}

func slowestRecovery(steps []step) float64 {
	slowest := math.NaN()
	for i := 1; i < len(steps); i++ {
		if steps[i].phase == steps[i-1].phase || steps[i].nstar == steps[i-1].nstar && steps[i].best == steps[i-1].best {
			continue
		}
		end := i + 1
		for end < len(steps) && steps[end].phase == steps[i].phase {
			end++
		}
		t := firstHeld(steps[i:end], func(s step) bool {
			return s.x >= near*s.best && float64(s.limit) <= fewTimes*float64(s.nstar)
		})
		if math.IsNaN(slowest) || t > slowest {
			slowest = t
		}
	}
	return slowest
}

// firstHeld returns when ok first begins to hold for a second, in seconds from
// the first step; +Inf if it never does.
func firstHeld(steps []step, ok func(step) bool) float64 {
	need := int(math.Round(hold / tick))
	held := 0
	for i, s := range steps {
		if !ok(s) {
			held = 0
			continue
		}
		if held++; held == need {
			return float64(i+1-need) / ticksPerSecond
		}
	}
	return math.Inf(1)
}
