package lab

import (
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

// The failures that the article reports, as simulated machines. What is best
// there is known exactly.
//
// ceiling: a service of 4 at a time holds the CPU usage below the full machine. A
// set point above that cannot be reached.
// plateau: flat from 16 units on, then better up to 1,024.
// mixed, of package sim: each unit computes for 1 ms and waits for 9.
const failures = `
scenario ceiling
	cpus 4
	seconds 60
	cpu ln(4ms, 1)
	service ln(5ms, 0.5)
	servers 4

scenario plateau
	cpus 4
	seconds 60
	cpu ln(10us, 1)
	wait ln(20ms, 0.7)
	slow 1 up to 16; n/16 up to 64; n / (16 * pow(min(n, 1024)/64, ln(10)/ln(16)))
`

const (
	ceiling = "ceiling"
	plateau = "plateau"
	mixed   = "mixed"
)

// seeds is how many runs a simulated figure is the mean of.
const seeds = 3

// simulated runs a scenario by a law. It returns the score, which is the throughput
// that the limit sustains by that of the best number, and the mean limit in the
// last third by that number.
func simulated(name string, law func() control.Controller) (score, limit float64, err error) {
	s := scenarioOf(append(scenariosIn(failures), sim.Scenarios()...), name)
	for seed := range uint64(seeds) {
		r, err := sim.Run(s, seed+1, law())
		if err != nil {
			return 0, 0, err
		}
		score += r.Score / seeds
		limit += r.Ratio / seeds
	}
	return score, limit, nil
}

const (
	scoreUnit    = "of the best"
	timesNumber  = "times the best number"
	lowestScore  = "lowest score"
	highestScore = "highest score"
)

// simulatedPoint runs a scenario by the law of a governor.
func simulatedPoint(name string, g governor) point {
	panel := "simulated " + name
	return point{
		label: panel + ": " + g.name, unit: scoreUnit, ours: g.ours, panel: panel, from: panel + ": " + g.name, certain: true,
		set: func(int) (task, error) {
			return valuedBeside(meanLimit, func() (score, limit float64, err error) { return simulated(name, g.law) }), nil
		},
	}
}

// The parameters that the article calls for tuning.
var (
	gains       = []float64{0.05, 0.1, 0.2, 0.3, 0.5}
	changeRates = []float64{0.1, 0.2, 0.3, 0.4, 0.5}
)

// parameterHeat is a figure over these parameters, without any yet.
func parameterHeat(title, unit, better string) figures.Heat {
	return figures.Heat{Title: title, X: "gain", Y: "change rate", Unit: unit, Better: better}
}

// parametersPoint runs the article's law with all pairs of parameters. The figure
// is the lowest score of the scenario mixed.
func parametersPoint() point {
	return point{
		label: "simulated parameters: " + lowestScore, unit: scoreUnit, panel: "simulated parameters", from: "simulated parameters", shown: true, certain: true,
		set: func(int) (task, error) {
			scores := parameterHeat("Score of the article's law by its parameters, work that waits, simulated", scoreUnit, higher)
			limits := parameterHeat("Mean limit of the article's law by its parameters, usage below a ceiling, simulated", timesNumber, lower)
			lowest, highest := 2.0, 0.0
			t := valued(func() (float64, error) {
				for _, gain := range gains {
					for _, rate := range changeRates {
						law := func() control.Controller { return control.NewDynamicTarget(gain, rate) }
						score, _, err := simulated(mixed, law)
						if err != nil {
							return 0, err
						}
						_, limit, err := simulated(ceiling, law)
						if err != nil {
							return 0, err
						}
						lowest, highest = min(lowest, score), max(highest, score)
						scores.Cells = append(scores.Cells, figures.HeatCell{X: gain, Y: rate, Value: rounded(score)})
						limits.Cells = append(limits.Cells, figures.HeatCell{X: gain, Y: rate, Value: rounded(limit)})
					}
				}
				return lowest, nil
			})
			t.aside = func() aside {
				return aside{Extra: map[string]float64{highestScore: highest}, Heat: []figures.Heat{scores, limits}}
			}
			return t, nil
		},
	}
}
