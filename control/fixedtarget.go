package control

import (
	"fmt"
	"math"
	"time"
)

// FixedTarget holds the CPU usage at a given percentage of the CPUs available, by a
// [PID] in a single loop. For background work that must leave half the machine to
// others, use FixedTarget(50) with the metric MachineCPU.
//
// While CPUs are free, the usage is proportional to the number of units, so the law
// works on ratios. The error is ln(target/usage), and the output of the PID is added to
// the logarithm of the limit. One gain then fits a machine with 2 CPUs and one with
// 200, which a gain in units per percent cannot.
//
// The limit is not raised while it is not binding. The law is for work that computes.
// If the work mostly waits and cannot reach the target, the limit rises to the maximum
// within seconds, so choose Max with care. Set the fields before the first call of
// Next.
type FixedTarget struct {
	Metric Metric        // whose CPU usage; the application's own by default
	Period time.Duration // time between two steps; 100 ms if not set
	Max    int           // highest limit decided; 100,000 if not set

	// PID turns the error into the change of the limit's logarithm. Because its output
	// is a change, KP alone removes the error. The default is KP = 0.5: half of the way
	// to the target in each period.
	PID PID

	target  float64
	windows sampler
	level   float64 // the limit before it was rounded
}

// furthest bounds the error of one step: a single window says no more than a
// factor of e. Without it a window without any usage, as before the first
// units have run, would send the limit to the maximum at once.
const furthest = 1

// NewFixedTarget returns the law with a target in percent, above 0 and at most 100; it
// panics for others. The usage never exceeds a target of 100, so too high a limit is
// not lowered: choose less.
func NewFixedTarget(target float64) *FixedTarget {
	mustBeUsage("NewFixedTarget", target)
	return &FixedTarget{Period: defaultPeriod, Max: defaultMax, PID: PID{KP: 0.5}, target: target}
}

// Next takes one step when a period is over; otherwise it keeps the limit. The first
// reading only begins the first period.
func (f *FixedTarget) Next(r Reading) Decision {
	period := orDefault(f.Period, defaultPeriod)
	from, wait, ok := f.windows.next(r, period)
	if !ok {
		return wait
	}
	usage := f.Metric.Usage(from, r)
	if usage < f.target && !heldBack(from, r) {
		return move(r.Limit, r.Limit, period, "")
	}
	if math.Round(f.level) != float64(r.Limit) { // the first step, or the caller clamped
		f.level = float64(r.Limit)
	}
	e := min(furthest, max(-furthest, math.Log(f.target/usage)))
	f.level = min(float64(orDefault(f.Max, defaultMax)), max(1, f.level*math.Exp(f.PID.Next(e))))
	return move(r.Limit, int(math.Round(f.level)), period,
		fmt.Sprintf("%v at %.0f %%, target %.0f %%", f.Metric, usage, f.target))
}
