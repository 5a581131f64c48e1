package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// b1 is the baseline of B2 and B3.
func b1() *experiment {
	return &experiment{
		id: "B1", size: size{64, 2000, 10_000, "million numbers"},
		points: func(scale) []point { return []point{serialSum(), ourSum()} },
		judge: func(r *results) verdict {
			p := r.at("serial", 0)
			return verdict{
				words: fmt.Sprintf("%s ns an addition, between %s and %s: that is %s s for 10,000 million",
					humanize.Number(p.Y), humanize.Number(p.Low), humanize.Number(p.High), humanize.Number(p.Y*10)),
				effect: figures.Baseline,
				ours:   r.answer(),
				notes:  []string{loopNote},
			}
		},
	}
}
