package lab

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

const (
	// stepTarget is a CPU usage that computing work reaches.
	stepTarget = 90
	stepLaw    = "Step, "
)

var stepping = law{fmt.Sprintf("Step %d", stepTarget), func() control.Controller { return control.NewStep(stepTarget) }}

func e12() *experiment {
	return &experiment{
		id: "E12", size: size{500, 3000, 30_000, "ms of real work, and simulations of up to 60 s"},

		better: higher,
		points: func(s scale) []point {
			return append(lawPoints(stepLaw, stepping, underLaw(stepping), stepFlows(s), false),
				lawPoints(lawOurs, searchLaw, ourLaw, stepFlows(s), false)...)
		},
		judge: func(r *results) verdict {
			shares := each(lawWorks(stepFlows(r.scale)), func(label string) string {
				return fmt.Sprintf("%s %s (ours %s)", label, humanize.Number(r.at(stepLaw+label, 0).Y), humanize.Number(r.at(lawOurs+label, 0).Y))
			})
			effect := interval(r.at(stepLaw+"cpu4", 0)).above(goodScore)
			reached := says(effect,
				fmt.Sprintf("it has %s of the best throughput where units compute, where the target can be met", humanize.Number(r.at(stepLaw+"cpu4", 0).Y)),
				fmt.Sprintf("it does not even have %g of the best throughput where units compute", goodScore),
				fmt.Sprintf("it is undecided whether it has %g of the best throughput where units compute", goodScore))
			runaway := "its limit is nowhere more than twice what is needed"
			most := r.bestOf(func(p *figures.Point) bool {
				return strings.HasPrefix(p.Label, stepLaw+targetExcess) && p.Unit == excessUnit
			})
			if most.Low > 2 {
				runaway = fmt.Sprintf("in %s its limit is %s times what is needed", strings.TrimPrefix(most.Label, stepLaw+targetExcess), humanize.Number(most.Y))
			}
			return verdict{
				words:  reached + "; " + runaway,
				effect: effect,
				ours:   r.answerTo(r.at(stepLaw+targetMean, 0), r.at(lawOurs+targetMean, 0)),
				notes:  []string{"Share of the best throughput: " + strings.Join(shares, ", ") + "."},
			}
		},
	}
}

// stepFlows are the real works that Step does. The quick size leaves out the one
// that computes, because cpu4 simulates it.
func stepFlows(s scale) []flow { return by(s, []flow{toWait}, realFlows, realFlows) }
