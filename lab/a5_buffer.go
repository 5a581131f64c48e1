package lab

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// a5 is the third attempt of the article: units without garbage.
func a5() *experiment {
	const local, state, ours = "buffer of the unit", "buffer of the worker", "Workers"
	return &experiment{
		id: "A5", size: size{150, 800, 3000, "units of 10,000 hashes"},
		axis: workersAxis,
		points: func(s scale) []point {
			cpus := runtime.GOMAXPROCS(0)
			ofUnit := func(workers int) point { return doPoint(local, numberUnits, workers, wholeBuffer) }
			ofWorker := func(workers int) point { return statePoint(state, workers) }
			return slices.Concat(each(hashingWorkers(s), ofUnit), each(hashingWorkers(s), ofWorker), []point{workersPoint(ours)},
				each([]point{ofUnit(cpus), ofWorker(cpus), workersPoint(ours)}, allocations))
		},
		short: func(r *results) string {
			cpus := float64(r.cpus)
			same, best := ratio(r.at(ours, 0), r.at(state, cpus)), r.bestOf(isVariant)
			return fmt.Sprintf("Workers uses as many workers as CPUs. Compared with DoWithState at that number, it takes %v the time%s; %s with %g workers takes %v. ",
				same, toldApart(same), best.Label, best.X, ratio(best, r.at(state, cpus))) +
				"In nine calls with units as long as these, on two CPUs of an AMD EPYC, the second worker of Workers began 0.03 to 0.23 ms after the first, because a call measures its first units before it starts another goroutine. In two of the calls, one worker ended 0.7 ms before the other. For two plain goroutines these times were 0.04 and 0.13 ms. This costs up to 1 % of the time. " +
				"It is not known why more workers than CPUs gain that little."
		},
		judge: func(r *results) verdict {
			cpus := float64(r.cpus)
			escaped := removed(r.at(allocationsOf(local), cpus), r.at(allocationsOf(state), cpus))
			var rise, turn []figures.Effect
			var fits []figures.Fit
			var notes []string
			for _, label := range []string{local, state} {
				two, fit := ratio(r.at(label, 2), r.at(label, 1)), r.fitBeyond(label, cpus)
				rise = append(rise, two.sees(1, slower))
				turn = append(turn, estimate{fit.Slope, fit.Low, fit.High}.above(0))
				fits = append(fits, fit)
				notes = append(notes, fmt.Sprintf("%s: 2 workers take %v the time of 1, and beyond the CPU count each further one adds %s (%s to %s).",
					capital(label), two, humanize.Format(fit.Slope, "ms"), humanize.Format(fit.Low, "ms"), humanize.Format(fit.High, "ms")))
			}
			return verdict{
				words: fmt.Sprintf("%s; %s; the buffer of the unit makes %s (%s to %s) more allocations a unit than that of the worker",
					there(rise, "rise at 2 workers"), there(turn, "turn upwards beyond the CPU count"), humanize.Number(escaped.y), humanize.Number(escaped.low), humanize.Number(escaped.high)),
				effect: every(escaped.above(0.5), either(rise...), either(turn...)),
				ours:   r.answer(),
				fits:   fits,
				notes: append(notes, fmt.Sprintf("The buffer of the worker takes %v the time of that of the unit at the CPU count; Workers allocates %s times a unit.",
					ratio(r.at(state, cpus), r.at(local, cpus)), humanize.Number(r.at(allocationsOf(ours), 0).Y))),
			}
		},
	}
}

// there says whether an effect shows in at least one of several cases.
func there(cases []figures.Effect, effect string) string {
	return says(either(cases...), "a "+effect+" shows", "a "+effect+" does not show", "a "+effect+" is undecided")
}
