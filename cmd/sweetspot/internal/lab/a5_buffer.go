package lab

import (
	"fmt"
	"runtime"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/figures"
)

// a5 is the third attempt of the article: units without garbage.
func a5() *experiment {
	const local, state, ours = "buffer of the unit", "buffer of the worker", "Workers"
	return &experiment{
		id: "A5", title: "Work that leaves no garbage", article: articleWorkers,
		about: "Units hash a number 10,000 times by way of a buffer of 8 bytes: one made in each unit with the pool Do, " +
			"one for each worker with DoWithState, and a variable of the body of Workers.",
		claim:  "the buffer of the unit escapes to the heap; an odd rise of the time at 2 workers; it turns up beyond the CPU count",
		size:   size{150, 800, 3000, "units of 10,000 hashes"},
		axis:   workersAxis,
		better: lower,
		points: func(s scale) []point {
			cpus := runtime.GOMAXPROCS(0)
			var ps []point
			for _, workers := range hashingWorkers(s) {
				ps = append(ps, doPoint(local, numberUnits, workers, wholeBuffer))
			}
			for _, workers := range hashingWorkers(s) {
				ps = append(ps, statePoint(state, workers))
			}
			return append(ps, workersPoint(ours),
				allocations(doPoint(local, numberUnits, cpus, wholeBuffer)), allocations(statePoint(state, cpus)), allocations(workersPoint(ours)))
		},
		judge: func(r *results) verdict {
			cpus := float64(r.cpus)
			escaped := removed(r.at(allocationsOf(local), cpus), r.at(allocationsOf(state), cpus))
			v := verdict{
				words: fmt.Sprintf("the buffer of the unit allocates %s times a unit more than that of the worker (%s to %s)",
					three(escaped.y), three(escaped.low), three(escaped.high)),
				ours: r.answer(),
			}
			var rises, turns bool
			for _, label := range []string{local, state} {
				rise := ratio(r.at(label, 2), r.at(label, 1))
				fit := r.fitBeyond(label, cpus)
				v.words += fmt.Sprintf("; %s: 2 workers take %v the time of 1, and beyond the CPU count each further one adds %s (%s to %s)",
					label, rise, figures.Format(fit.Slope, "ms"), figures.Format(fit.Low, "ms"), figures.Format(fit.High, "ms"))
				rises = rises || rise.low > 1
				turns = turns || fit.Low > 0
				v.fits = append(v.fits, fit)
			}
			v.words += "; " + found("rise at 2 workers", rises) + ", " + found("turn upwards", turns)
			v.holds = escaped.low > 0.5 && rises && turns
			v.notes = []string{fmt.Sprintf("The buffer of the worker takes %v the time of that of the unit at the CPU count; Workers allocates %s times a unit.",
				ratio(r.at(state, cpus), r.at(local, cpus)), three(r.at(allocationsOf(ours), 0).Y))}
			return v
		},
	}
}

// found says whether an effect shows.
func found(effect string, shows bool) string {
	if shows {
		return "there is a " + effect
	}
	return "no " + effect + " can be told"
}
