package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

const (
	// pidTarget leaves room above it for an overshoot.
	pidTarget = 60
	// pidReached is where the set point counts as reached: by convention, at nine
	// tenths of the step.
	pidReached = 0.9

	pidP       = "P"
	pidPI      = "PI"
	pidPID     = "PID"
	pidOurs    = "FixedTarget"
	pidRise    = "rise time, "
	pidOver    = "overshoot, "
	pidSteady  = "error at last, "
	pidReal    = ", real work"
	percentCPU = "% of the CPUs"
)

// pidPlant is a machine whose CPU usage follows the limit in proportion.
func pidPlant() sim.Scenario { return scenarioOf("pid-step") }

// pidLaw is the loop with the parts named, all with the same gain, as published.
func pidLaw(parts string, gain float64) law {
	return law{fmt.Sprintf("%s %g", parts, gain), func() control.Controller {
		p := control.PID{KP: gain}
		if strings.Contains(parts, "I") {
			p.KI = gain
		}
		if strings.Contains(parts, "D") {
			p.KD = gain
		}
		return &innerLoop{pid: p, aim: func(float64, int, bool) float64 { return pidTarget }}
	}}
}

var pidAnswer = law{pidOurs, func() control.Controller { return control.NewFixedTarget(pidTarget) }}

// pidGains are those that the talk recommends, and beyond.
func pidGains(s scale) []float64 {
	all := []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1}
	return by(s, []float64{0.1, 0.3, 0.5}, all, all)
}

func e2() *experiment {
	return &experiment{
		id: "E2", size: size{700, 3000, 30_000, "ms of real work, and simulations of 30 s"},
		axis: figures.Axis{Name: "gain"},
		points: func(s scale) []point {
			step := func(l law, label string) []point {
				return []point{
					l.figureOf(pidRise+label, "s", riseTime, pidPlant()).asAside(),
					l.figureOf(pidOver+label, percentCPU, overshoot, pidPlant()).asAside(),
					l.figureOf(pidSteady+label, percentCPU, steadyError, pidPlant()).asAside(),
				}
			}
			var ps []point
			for _, parts := range []string{pidP, pidPI, pidPID} {
				for _, gain := range pidGains(s) {
					ps = append(ps, pidLaw(parts, gain).figureOf(parts, percentCPU, wholeError, pidPlant()).at(gain))
				}
			}
			for _, gain := range pidGains(s) {
				for _, p := range append(step(pidLaw(pidP, gain), pidP), step(pidLaw(pidPID, gain), pidPID)...) {
					ps = append(ps, p.at(gain))
				}
			}
			ps = append(ps, pidAnswer.figureOf(pidOurs, percentCPU, wholeError, pidPlant()).asOurs())
			ps = append(ps, each(step(pidAnswer, pidOurs), point.asOurs)...)
			return append(ps, usagePoint(pidPID+pidReal, pidLaw(pidPID, articleGain), false).at(articleGain), usagePoint(pidOurs+pidReal, pidAnswer, true))
		},
		judge: func(r *results) verdict {
			best := r.bestOf(isVariant)
			p, pid, ours := r.at(pidSteady+pidP, articleGain), r.at(pidSteady+pidPID, articleGain), r.at(pidSteady+pidOurs, 0)
			gain := ratio(p, pid)
			effect := gain.beside(1, "the proportional part alone is closer at last than the three together",
				"the three parts together are not clearly closer at last than the proportional part alone",
				"the three parts together are closer at last than the proportional part alone")
			return verdict{
				words:  fmt.Sprintf("%s: %s and %s points off with a gain of %g", effect, humanize.Number(p.Y), humanize.Number(pid.Y), articleGain),
				effect: gain.sees(1, slower),
				ours:   r.answerOf(isVariant, r.at(pidOurs, 0)),
				notes: []string{
					"The limit is the sum of all outputs, so even the proportional part alone removes errors in time; the integral sums once more.",
					fmt.Sprintf("With a gain of %g, PID rises in %s s and overshoots by %s points; the proportional part alone rises in %s s and overshoots by %s. With %g, PID overshoots by %s and is %s off at last. Over the whole run, the closest is %s, %s points off.",
						articleGain, humanize.Number(r.at(pidRise+pidPID, articleGain).Y), humanize.Number(r.at(pidOver+pidPID, articleGain).Y),
						humanize.Number(r.at(pidRise+pidP, articleGain).Y), humanize.Number(r.at(pidOver+pidP, articleGain).Y),
						highGain, humanize.Number(r.at(pidOver+pidPID, highGain).Y), humanize.Number(r.at(pidSteady+pidPID, highGain).Y),
						r.nameOf(best), humanize.Number(best.Y)),
					fmt.Sprintf("The set point is given here, so ours is FixedTarget, and not the default law, which aims at throughput. It rises in %s s, overshoots by %s points, and is %s off at last. As the load of a real process, PID is %s points off over the whole run and FixedTarget %s.",
						humanize.Number(r.at(pidRise+pidOurs, 0).Y), humanize.Number(r.at(pidOver+pidOurs, 0).Y), humanize.Number(ours.Y),
						humanize.Number(r.at(pidPID+pidReal, articleGain).Y), humanize.Number(r.at(pidOurs+pidReal, 0).Y)),
				},
			}
		},
	}
}

// highGain is the upper end of what the talk recommends.
const highGain = 0.3

// usages are the CPU usages of the 100 ms stretches of a run, in percent.
func usages(r *sim.Result) []float64 {
	return each(r.Trace, func(p sim.Point) float64 { return 100 * p.Usage })
}

// offTarget returns the mean distance of usages from the set point.
func offTarget(us []float64) float64 {
	sum := 0.0
	for _, u := range us {
		sum += math.Abs(u - pidTarget)
	}
	return sum / float64(len(us))
}

func wholeError(r *sim.Result) float64 { return offTarget(usages(r)) }

func steadyError(r *sim.Result) float64 {
	us := usages(r)
	return offTarget(us[2*len(us)/3:])
}

// riseTime is the whole run if the set point is never reached.
func riseTime(r *sim.Result) float64 {
	for _, p := range r.Trace {
		if 100*p.Usage >= pidReached*pidTarget {
			return p.At
		}
	}
	return r.Trace[len(r.Trace)-1].At
}

func overshoot(r *sim.Result) float64 {
	return max(0, slices.Max(usages(r))-pidTarget)
}

// usagePoint measures how far a law holds the CPU usage of this process off the
// set point.
func usagePoint(label string, l law, ours bool) point {
	return point{label: label, unit: percentCPU, ours: ours, aside: true, panel: "real", shown: true, set: func(n int) (task, error) {
		st := &streamed{work: toLoad.prepare(), length: time.Duration(n) * time.Millisecond, label: l.name, panel: "real", ours: ours}
		t := valued(func() (float64, error) {
			// It starts as the simulation does: at the number of CPUs.
			if err := st.run(byLimiter{sweetspot.New(sweetspot.Controller(l.make())), unaimed}); err != nil {
				return 0, err
			}
			us := st.usages()
			if len(us) == 0 {
				return 0, fmt.Errorf("%d ms of work are too short to measure a CPU usage", n)
			}
			return offTarget(us), nil
		})
		t.check, t.aside = st.check, st.aside
		return t, nil
	}}
}

// usages returns the CPU usages over time, in percent.
func (st *streamed) usages() []float64 {
	for _, s := range st.watch.series("", "", false) {
		if s.Name == seriesUsage && !s.Goal {
			return s.Values
		}
	}
	return nil
}
