package main

import (
	"fmt"
	"math"

	"github.com/sweetspot-go/sweetspot/sim"
)

// A bar is what the default law must reach in one scenario; NaN where nothing is
// asked. The bars come from the study of the law, in which the best controller
// reached them on two sets of seeds with a margin.
type bar struct {
	scenario     string
	score, worst float64 // at least: median over the seeds, worst seed
	last         float64 // at least: median of the last third
	settled      float64 // at least: median from 10 s on
	ratio        float64 // at most: limit/N* in the last third
	t95, recover float64 // at most, s
	act          float64 // at least: real completions over ideal
	counts       bool    // in the bars on all scenarios
}

// none says that a bar is not asked for.
var none = math.NaN()

const (
	minAct       = 0.96
	maxRatio     = 2.0
	minMean      = 0.985
	minMeanWorst = 0.97
	minRun       = 0.90
)

// bars lists them in the order of the scenarios.
var bars = []bar{
	{"cpu2", 0.99, 0.98, 0.99, none, 1.2, 0.1, none, minAct, true},
	{"cpu4", 0.99, 0.98, 0.99, none, 1.2, 0.1, none, minAct, true},
	{"cpu8", 0.99, 0.98, 0.99, none, 1.2, 0.1, none, minAct, true},
	{"cpu64", 1.00, 0.99, 1.00, none, 1.2, 0.1, none, minAct, true},
	{"io3000", 0.97, 0.95, 1.00, none, 1.3, 2.4, none, minAct, true},
	{"mixed", 0.99, 0.97, 1.00, none, 1.3, 0.8, none, minAct, true},
	{"down32", 0.99, 0.97, 1.00, none, 1.4, 0.8, none, minAct, true},
	{"usl24", 0.97, 0.94, 0.99, none, 1.3, 1.3, none, minAct, true},
	{"thrash40", 0.96, 0.91, 0.99, none, 1.2, 6.3, none, minAct, true},
	{"extload", 0.98, 0.96, 0.98, none, 1.2, 0.4, 0.5, minAct, true},
	{"extcpu", 0.99, 0.98, 0.98, none, 1.2, 0.1, 0.5, minAct, true},
	{"step16-128", 0.97, 0.92, 0.98, none, 2.0, 0.7, 4.9, minAct, true},
	{"longcpu", 0.99, 0.98, 0.99, none, 1.2, 0.1, none, minAct, true},
	{"longio", 0.97, 0.94, 0.98, none, 1.6, 7.4, none, minAct, true},
	{"short20us", 0.99, 0.98, 0.99, none, 1.2, 0.1, none, minAct, true},
	{"pareto", 0.98, 0.96, 0.99, none, 1.3, 0.8, none, minAct, true},
	{"paretoio", 0.99, 0.97, 0.99, none, 1.5, 1.5, none, minAct, true},
	{"open50", 0.99, 0.98, 0.99, none, 1.9, 0.6, none, minAct, true},
	{"plateau", 0.99, 0.91, 1.00, none, 1.3, 1.8, none, minAct, true},
	{"waitstep", 0.99, 0.97, 1.00, none, 1.4, 0.8, 1.8, minAct, true},
	{"spin8", none, none, none, 0.95, 1.5, none, none, none, false},
	{"smt16", none, none, none, 0.95, 1.5, none, none, none, false},
	{"disk1", none, none, none, 0.95, 1.5, none, none, none, false},
	{"balanced", 0.97, 0.95, 0.97, none, 1.5, none, none, minAct, false},
	{"patches", 0.97, 0.85, 0.97, none, 1.5, none, none, minAct, false},
	{"scanned", 0.97, 0.90, 0.98, none, maxRatio, none, none, minAct, false},
}

// A miss is a figure that misses its bar, or meets it.
type miss struct {
	Scenario, Figure string
	got, want        float64
	atMost           bool
}

func (m miss) met() bool {
	const rounding = 1e-9
	if m.atMost {
		return m.got <= m.want+rounding
	}
	return m.got >= m.want-rounding
}

func (m miss) String() string {
	sign := "at least"
	if m.atMost {
		sign = "at most"
	}
	return fmt.Sprintf("%s %s %.4g, want %s %.4g", m.Scenario, m.Figure, m.got, sign, m.want)
}

// missed holds rows to bars. It returns the figures that miss theirs, and how many bars
// there are.
func missed(bars []bar, rows []sim.Row) (misses []miss, asked int) {
	hold := func(m miss) {
		if math.IsNaN(m.want) {
			return
		}
		asked++
		if !m.met() {
			misses = append(misses, m)
		}
	}
	byName := map[string]sim.Row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	mean, meanWorst, worst, ratio, n := 0.0, 0.0, math.Inf(1), 0.0, 0.0
	for _, b := range bars {
		r, ok := byName[b.scenario]
		if !ok {
			misses = append(misses, miss{Scenario: b.scenario, Figure: "not run"})
			continue
		}
		hold(miss{b.scenario, "score", r.Score, b.score, false})
		hold(miss{b.scenario, "worst", r.Worst, b.worst, false})
		hold(miss{b.scenario, "last", r.Last, b.last, false})
		hold(miss{b.scenario, "after 10 s", r.Settled, b.settled, false})
		hold(miss{b.scenario, "N/N*", r.Ratio, b.ratio, true})
		hold(miss{b.scenario, "t95", r.T95, b.t95, true})
		hold(miss{b.scenario, "recover", r.Recover, b.recover, true})
		hold(miss{b.scenario, "act", r.Act, b.act, false})
		if b.counts {
			n++
			mean += r.Score
			meanWorst += r.Worst
			worst = min(worst, r.Worst)
			ratio = max(ratio, r.Ratio)
		}
	}
	hold(miss{"all", "mean", mean / n, minMean, false})
	hold(miss{"all", "mean of worst", meanWorst / n, minMeanWorst, false})
	hold(miss{"all", "worst run", worst, minRun, false})
	hold(miss{"all", "N/N*", ratio, maxRatio, true})
	return misses, asked
}

// sameBar reports whether m and other miss the same bar.
func (m miss) sameBar(other miss) bool {
	return m.Scenario == other.Scenario && m.Figure == other.Figure
}

// named lists misses by scenario, without their figures.
func named(misses []miss) (names []string) {
	for i, m := range misses {
		if i > 0 && misses[i-1].Scenario == m.Scenario {
			names[len(names)-1] += ", " + m.Figure
		} else {
			names = append(names, m.Scenario+": "+m.Figure)
		}
	}
	return names
}
