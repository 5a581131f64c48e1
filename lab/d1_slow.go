package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// d1 is the baseline of D2 and D3.
func d1() *experiment {
	return &experiment{
		id: "D1", size: size{30, 1000, 1000, "runs"},
		points: func(scale) []point { return append(withDeviation(fibPoint("Slow", false, slow)), ourFib()) },
		judge: func(r *results) verdict {
			p := r.at("Slow", 0)
			ours := r.answer()
			return verdict{
				words: fmt.Sprintf("%s ms a run, between %s and %s ms; standard deviation %s µs",
					humanize.Number(p.Y/1e6), humanize.Number(p.Low/1e6), humanize.Number(p.High/1e6), humanize.Number(r.at("Slow"+deviation, 0).Y/1e3)),
				effect: figures.Baseline,
				ours:   ours,
			}
		},
	}
}
