package lab

import (
	"fmt"
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func a2() *experiment {
	const local, state, ours = "Do", "DoWithState", "Workers"
	return &experiment{
		id: "A2", size: size{120, 1000, 3000, "units"},
		points: func(scale) []point {
			cpus := runtime.GOMAXPROCS(0)
			times := []point{
				doPoint(local, numberUnits, cpus, wholeBuffer).at(0),
				statePoint(state, cpus).at(0),
				workersPoint(ours),
			}
			return append(times, each(times, allocations)...)
		},
		judge: func(r *results) verdict {
			removed := removed(r.at(allocationsOf(local), 0), r.at(allocationsOf(state), 0))
			time := ratio(r.at(state, 0), r.at(local, 0))
			return verdict{
				words: fmt.Sprintf("DoWithState makes %s (%s to %s) fewer allocations a unit than Do, and takes %v the time%s",
					humanize.Number(removed.y), humanize.Number(removed.low), humanize.Number(removed.high), time, toldApart(time)),
				effect: removed.above(0.5),
				ours:   r.answer(),
				notes: []string{fmt.Sprintf("Do allocates %s times a unit, DoWithState %s times, and Workers, whose buffer is a variable of its body, %s times.",
					humanize.Number(r.at(allocationsOf(local), 0).Y), humanize.Number(r.at(allocationsOf(state), 0).Y), humanize.Number(r.at(allocationsOf(ours), 0).Y))},
			}
		},
	}
}
