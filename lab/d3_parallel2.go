package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func d3() *experiment {
	return &experiment{
		id: "D3", size: fewRuns,
		points: func(scale) []point {
			ps := []point{fibPoint("Slow", false, slow), fibPoint("Parallel2", false, parallel2), fibPoint("Parallel1", false, parallel1)}
			return append(concat(ps, withDeviation), ourFib())
		},
		judge: func(r *results) verdict {
			serial, p := r.at("Slow", 0), r.at("Parallel2", 0)
			s, waits := ratio(p, serial), ratio(r.at("Parallel1", 0), p)
			return verdict{
				words: fmt.Sprintf("Parallel2 takes %v the time of Slow, %s more for each of its goroutines; Parallel1 takes %v the time of Parallel2",
					s, humanize.Format((p.Y-serial.Y)/fibCalls, "ns"), waits),
				effect: every(s.sees(1, slower), waits.sees(1, slower)),
				ours:   r.answer(),
				notes:  []string{r.deviations("Slow", "Parallel1", "Parallel2")},
			}
		},
	}
}
