package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// fewRuns is the size of those that take long.
var fewRuns = size{3, 20, 1000, "runs"}

func d2() *experiment {
	return &experiment{
		id: "D2", size: fewRuns,
		points: func(scale) []point {
			ps := []point{fibPoint("Slow", false, slow), fibPoint("Parallel1", false, parallel1)}
			return append(concat(ps, withDeviation), ourFib())
		},
		judge: func(r *results) verdict {
			serial, p := r.at("Slow", 0), r.at("Parallel1", 0)
			s := ratio(p, serial)
			return verdict{
				words: fmt.Sprintf("Parallel1 takes %v the time of Slow, %s more for each of its goroutines",
					s, humanize.Format((p.Y-serial.Y)/(2*fibCalls), "ns")),
				effect: s.sees(1, slower),
				ours:   r.answer(),
				notes:  []string{r.deviations("Slow", "Parallel1")},
			}
		},
	}
}
