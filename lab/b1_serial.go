package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// summing is an experiment of the article about sums. With one CPU its claim is undecided, unless
// it is a baseline; alone says why.
func summing(id string, size size, alone string, judge func(r *results) verdict, points func() []point) *experiment {
	return &experiment{
		id: id, size: size,
		points: func(scale) []point { return append(points(), ourSum()) },
		judge: func(r *results) verdict {
			v := judge(r)
			v.ours, v.notes = r.answer(), append(v.notes, loopNote)
			if r.cpus == 1 && v.effect != figures.Baseline {
				v.effect = figures.Untold
				v.words += alone
			}
			return v
		},
	}
}

// b1 is the baseline of B2 and B3.
func b1() *experiment {
	return summing("B1", size{64, 2000, 10_000, "million numbers"}, "", func(r *results) verdict {
		p := r.at("serial", 0)
		words := fmt.Sprintf("%s ns an addition, between %s and %s: that is %s s for 10,000 million",
			humanize.Number(p.Y), humanize.Number(p.Low), humanize.Number(p.High), humanize.Number(p.Y*10))
		return verdict{words: words, effect: figures.Baseline}
	}, func() []point { return []point{serialSum()} })
}
