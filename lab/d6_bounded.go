package lab

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// littleGain is how many times as long the semaphore may take where all at once is
// said to gain nothing. That, and not even a tenth, is what an article that calls
// goroutines not free may be expected to show.
const littleGain = 1.1

func d6() *experiment {
	const (
		loop      = "one by one"
		atOnce    = "all at once"
		semaphore = "semaphore"
		forEach   = "ForEach"
	)
	type bound struct {
		label string
		all   runAll
		ours  bool
	}
	ways := []bound{{atOnce, allAtOnce, false}, {semaphore, bySemaphore, false}, {forEach, byForEach, true}}
	return &experiment{
		id: "D6", size: size{30, 1000, 1000, "runs"},
		points: func(scale) []point {
			return slices.Concat([]point{runsPoint(loop, false, oneByOne)},
				each(ways, func(w bound) point { return runsPoint(w.label, w.ours, w.all) }),
				concat(ways, func(w bound) []point { return limitedPoints(w.label, w.ours, w.all) }))
		},
		short: func(r *results) string {
			return fmt.Sprintf("Beside the semaphore ForEach takes %v the time%s. It also tries a limit of 1. In six calls on the machine of the published report, none of them the first in its process, "+
				"a CPU was idle for 24 to 38 ms of 354 to 405 ms because of that. This costs 3 to 5 %% of the time. All at once, and two goroutines that take run after run, kept both CPUs busy.",
				ratio(r.at(forEach, 0), r.at(semaphore, 0)), toldApart(ratio(r.at(forEach, 0), r.at(semaphore, 0))))
		},
		judge: func(r *results) verdict {
			bounded := ratio(r.at(semaphore, 0), r.at(atOnce, 0))
			v := verdict{
				effect: bounded.below(littleGain),
				ours:   r.answer(),
			}
			v.words = says(v.effect, "all at once gains nothing", "all at once is faster",
				"that all at once gains nothing cannot be told") +
				fmt.Sprintf(": with a semaphore the runs take %v the time", bounded)
			ended := func(label string) string {
				return fmt.Sprintf("%s of %s and ended %s ms late", humanize.Number(r.at(label+doneInTime, 0).Y), r.e.size.describe(r.e.size.at(r.scale)), humanize.Number(r.at(label+overrun, 0).Y))
			}
			v.notes = []string{
				fmt.Sprintf("All at once is %v as fast as one by one, with %s.", r.speedup(r.at(atOnce, 0), r.at(loop, 0)), humanize.Count(r.cpus, "CPUs")),
				fmt.Sprintf("With half the time needed, all at once has done %s, the semaphore %s, and ForEach %s. What was done after the deadline does not count.", ended(atOnce), ended(semaphore), ended(forEach)),
			}
			return v
		},
	}
}
