package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// d5 is the baseline of D4.
func d5() *experiment {
	const sized = "serial, map of known size"
	return &experiment{
		id: "D5", size: markSize(),
		points: func(scale) []point {
			return []point{
				markPoint(serialMark, 0, treeOf, serially),
				markPoint(sized, 0, treeOf, func(g *graph) map[node]struct{} {
					return markSerially(g, make(map[node]struct{}, g.nodes))
				}),
				walkPoint(walked, 0, treeOf, false),
				walkPoint(walkedHint, 0, treeOf, true),
			}
		},
		judge: func(r *results) verdict {
			p, s := r.at(serialMark, 0), r.at(sized, 0)
			return verdict{
				words: fmt.Sprintf("%s ns a node, between %s and %s; with a map of known size %s ns",
					humanize.Number(p.Y), humanize.Number(p.Low), humanize.Number(p.High), humanize.Number(s.Y)),
				effect: figures.Baseline,
				// Each is told as much about the number of nodes as the other.
				ours: r.answerTo(p, r.at(walked, 0)),
				notes: []string{
					fmt.Sprintf("Known size: Walk with SizeHint is %v as fast as the serial mark with such a map.", r.speedup(r.at(walkedHint, 0), s)),
				},
			}
		},
	}
}
