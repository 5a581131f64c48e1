package lab

import (
	"fmt"
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
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
			var rise, turn shown
			var fits []figures.Fit
			var notes []string
			for _, label := range []string{local, state} {
				two, fit := ratio(r.at(label, 2), r.at(label, 1)), r.fitBeyond(label, cpus)
				rise.add(two.low-1, two.high-1)
				turn.add(fit.Low, fit.High)
				fits = append(fits, fit)
				notes = append(notes, fmt.Sprintf("%s: 2 workers take %v the time of 1, and beyond the CPU count each further one adds %s (%s to %s).",
					capital(label), two, humanize.Format(fit.Slope, "ms"), humanize.Format(fit.Low, "ms"), humanize.Format(fit.High, "ms")))
			}
			return verdict{
				words: fmt.Sprintf("%s; %s; the buffer of the unit allocates %s (%s to %s) times a unit more than that of the worker",
					rise.words("rise at 2 workers"), turn.words("turn upwards beyond the CPU count"), humanize.Number(escaped.y), humanize.Number(escaped.low), humanize.Number(escaped.high)),
				holds: escaped.low > 0.5 && rise.somewhere && turn.somewhere,
				ours:  r.answer(),
				fits:  fits,
				notes: append(notes, fmt.Sprintf("The buffer of the worker takes %v the time of that of the unit at the CPU count; Workers allocates %s times a unit.",
					ratio(r.at(state, cpus), r.at(local, cpus)), humanize.Number(r.at(allocationsOf(ours), 0).Y))),
			}
		},
	}
}

// shown is whether an effect is there in some of several intervals.
type shown struct{ somewhere, maybe bool }

// add adds the interval of an effect that is none at 0.
func (s *shown) add(low, high float64) {
	s.somewhere = s.somewhere || low > 0
	s.maybe = s.maybe || high > 0
}

func (s shown) words(effect string) string {
	switch {
	case s.somewhere:
		return "there is a " + effect
	case s.maybe:
		return "no " + effect + " can be told"
	}
	return "there is no " + effect
}
