package control

import (
	"fmt"
	"time"
)

// Step is the simplest law that closes the loop, the basic idea of the talk
// "Optimization for Number of goroutines Using Feedback Control" (Yusuke Miyake,
// GopherCon 2019):
//
//  1. raise the limit one by one until the target is met;
//  2. then leave it;
//  3. after a while lower it one by one; when the target is missed, go back to 1.
//
// The target is a CPU usage in percent of the CPUs available. With the right target,
// the law finds the least limit that reaches it within a point, give or take one unit.
// For work that mostly waits the right target is unknown: a target out of reach lets
// the limit rise to the maximum, at ten units a second. [DynamicTarget] was made for
// that.
//
// The limit is not raised while it is not binding. Set the fields before the first call
// of Next.
type Step struct {
	Metric Metric        // whose CPU usage; the application's own by default, as in the talk
	Period time.Duration // time between two steps; 100 ms if not set
	Hold   time.Duration // how long the target must have been met before the limit is lowered; 1 s if not set
	Max    int           // highest limit decided; 100,000 if not set

	target   float64
	windows  sampler
	phase    stepPhase
	metSince time.Duration
}

// stepPhase is the step of the talk's list that Step is in.
type stepPhase uint8

const (
	raising stepPhase = iota
	holding
	lowering
)

// defaultHold is ten periods: long enough that nine tenths of the time go to
// the limit that works, short enough to follow a change within seconds.
const defaultHold = time.Second

// slack is how many points below the target still meet it. Fully busy CPUs are
// read as 99.5 % as often as not, and a law that finds 100 missed by a hair
// raises the limit for ever.
const slack = 1

// NewStep returns the law with a target in percent, above 0 and at most 100; it panics
// for others.
func NewStep(target float64) *Step {
	mustBeUsage("NewStep", target)
	return &Step{Period: defaultPeriod, Hold: defaultHold, Max: defaultMax, target: target}
}

// Next takes one step when a period is over; otherwise it keeps the limit. The first
// reading only begins the first period.
func (s *Step) Next(r Reading) Decision {
	period := orDefault(s.Period, defaultPeriod)
	from, wait, ok := s.windows.next(r, period)
	if !ok {
		return wait
	}
	usage := s.Metric.Usage(from, r)
	if usage < s.target-slack {
		s.phase = raising
		if !heldBack(from, r) {
			return move(r.Limit, r.Limit, period, "")
		}
		to := max(r.Limit, min(orDefault(s.Max, defaultMax), r.Limit+1))
		return move(r.Limit, to, period, s.note(usage))
	}
	if s.phase == raising {
		s.phase, s.metSince = holding, r.At
	}
	if s.phase == holding && r.At-s.metSince >= orDefault(s.Hold, defaultHold) {
		s.phase = lowering
	}
	if s.phase == lowering {
		return move(r.Limit, max(1, r.Limit-1), period, s.note(usage))
	}
	return move(r.Limit, r.Limit, period, "")
}

func (s *Step) note(usage float64) string {
	return fmt.Sprintf("%v at %.0f %%, target %.0f %%", s.Metric, usage, s.target)
}
