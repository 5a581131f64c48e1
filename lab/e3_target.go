package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

const (
	// goodScore is what counts as good here: the talk calls its results good, and
	// not the best.
	goodScore = 0.9

	targetMean   = "mean of the simulations"
	targetExcess = "limit, "
	lawOurs      = "Search, "
)

func targetLaw(gain float64, m control.Metric) law {
	return law{fmt.Sprintf("DynamicTarget %g %v", gain, m), func() control.Controller {
		l := control.NewDynamicTarget(gain, articleChangeRate)
		l.Metric = m
		return l
	}}
}

// lawScenarios are the simulated works that laws are compared on: units that
// compute, units that wait nine times as long as they compute, units that wait for
// a service with 32 places, and units that slow down beyond 40. The names are
// package sim's.
var lawScenarios = []string{"cpu4", "mixed", "down32", "thrash40"}

func scenariosOf(names []string) []sim.Scenario { return each(names, scenarioOf) }

// targetGains are from the range that the talk recommends.
var targetGains = []float64{articleGain, 0.2, highGain}

func e3() *experiment {
	return &experiment{
		id: "E3", size: size{500, 3000, 30_000, "ms of real work, and simulations of up to 60 s"},
		axis: figures.Axis{Name: "gain"}, better: higher,
		points: func(s scale) []point {
			ps := concat(targetGains, func(gain float64) []point {
				l, flows := targetLaw(gain, control.OwnCPU), realFlows
				if s == quick && gain != articleGain {
					flows = nil // time is short
				}
				return each(lawPoints("", l, underLaw(l), flows, gain == articleGain), func(p point) point { return p.at(gain) })
			})
			return append(together(ps), lawPoints(lawOurs, searchLaw, ourLaw, realFlows, true)...)
		},
		judge: func(r *results) verdict {
			good, all := 0, lawWorks(realFlows)
			var spans []string
			var goods []figures.Effect
			for _, label := range all {
				points := r.of(label)
				worst, best := slices.MinFunc(points, byFigure), slices.MaxFunc(points, byFigure)
				isGood := interval(worst).above(goodScore)
				if goods = append(goods, isGood); isGood == figures.Shows {
					good++
				}
				text := fmt.Sprintf("%s %s to %s", label, humanize.Number(worst.Y), humanize.Number(best.Y))
				if len(points) == 1 {
					text = fmt.Sprintf("%s %s", label, humanize.Number(best.Y))
				}
				spans = append(spans, fmt.Sprintf("%s (ours %s)", text, humanize.Number(r.at(lawOurs+label, 0).Y)))
			}
			runaway := r.bestOf(func(p *figures.Point) bool {
				return !p.Ours && strings.HasPrefix(p.Label, targetExcess) && p.Unit == excessUnit
			})
			best := r.bestOf(func(p *figures.Point) bool { return p.Label == targetMean })
			return verdict{
				words: fmt.Sprintf("with every gain tried the law has %g of the best throughput in %d of %d works, and up to %s times the limit needed (%s, gain %g)",
					goodScore, good, len(all), humanize.Number(runaway.Y), strings.TrimPrefix(runaway.Label, targetExcess), runaway.X),
				effect: most(goods...),
				ours:   r.answerTo(best, r.at(lawOurs+targetMean, 0)),
				notes: []string{
					"From the worst gain to the best: " + strings.Join(spans, ", ") + ".",
					fmt.Sprintf("The talk does not say what good means. Here it means that the lower end of the interval is above %g of the throughput of the best fixed number.", goodScore),
				},
			}
		},
	}
}

// realFlows are the real works that laws are compared on.
var realFlows = []flow{toCompute, toWait}

// lawWorks are the simulated works and real ones, by the labels of their points.
func lawWorks(flows []flow) []string {
	return append(slices.Clone(lawScenarios), each(flows, flow.panel)...)
}

// lawPoints are the points of a law, in simulation and on real work, with a name
// before their labels.
func lawPoints(name string, l law, g governor, flows []flow, shown bool) []point {
	var ps []point
	for _, sc := range scenariosOf(lawScenarios) {
		ps = append(ps, l.scoreOf(name+sc.Name, sc), l.excessOf(name+targetExcess+sc.Name, sc))
	}
	ps = append(ps, l.scoreOf(name+targetMean, scenariosOf(lawScenarios)...))
	for _, f := range flows {
		p := f.scored(name+f.panel(), g)
		p.shown = shown
		ps = append(ps, p, f.limitOf(name+targetExcess+f.panel(), g))
	}
	for i := range ps {
		ps[i].ours = g.ours
	}
	return ps
}
