package simcmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// bars are what the default law must reach in one scenario; NaN where nothing
// is asked. They come from the study of the law, in which the best controller
// reached them on two sets of seeds with a margin.
type bars struct {
	scenario         string
	score, worst     float64 // at least: median over the seeds, worst seed
	last             float64 // at least: median of the last third
	settled          float64 // at least: median from 10 s on
	ratio            float64 // at most: limit/N* in the last third
	t95, recover     float64 // at most, s
	act              float64 // at least: real completions over ideal
	partOfTheAverage bool    // counts in the bars on all scenarios
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

// allBars lists the bars, in the order of the scenarios.
var allBars = []bars{
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

// A verdict says how one figure stands to its bar.
type verdict struct {
	scenario, figure string
	got, want        float64
	atLeast          bool
}

// tolerance keeps a figure that is the bar, but for rounding, from missing it.
const tolerance = 1e-9

func (v verdict) met() bool {
	if v.atLeast {
		return v.got >= v.want-tolerance
	}
	return v.got <= v.want+tolerance
}

func (v verdict) String() string {
	sign := "at most"
	if v.atLeast {
		sign = "at least"
	}
	got := fmt.Sprintf("%.4g", v.got)
	if math.IsInf(v.got, 1) {
		got = "never"
	}
	return fmt.Sprintf("%s %s %s, want %s %.4g: %s", v.scenario, v.figure, got, sign, v.want, v.outcome())
}

func (v verdict) outcome() string {
	switch {
	case v.met():
		return "met"
	case math.IsInf(v.got, 1):
		return "missed by far: it never happened"
	}
	return fmt.Sprintf("missed by %.2g", math.Abs(v.got-v.want))
}

// verdicts holds a law's rows against the bars. Those on all scenarios are
// only there when all that count were run.
func verdicts(rows []sim.Row) []verdict {
	byName := map[string]sim.Row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	var vs []verdict
	n, count := 0, 0
	mean, meanWorst, lowest, most := 0.0, 0.0, math.Inf(1), 0.0
	for _, b := range allBars {
		if b.partOfTheAverage {
			count++
		}
		r, ok := byName[b.scenario]
		if !ok {
			continue
		}
		for _, v := range []verdict{
			{b.scenario, "score", r.Score, b.score, true},
			{b.scenario, "worst", r.Worst, b.worst, true},
			{b.scenario, "last", r.Last, b.last, true},
			{b.scenario, "after 10 s", r.Settled, b.settled, true},
			{b.scenario, "N/N*", r.Ratio, b.ratio, false},
			{b.scenario, "t95", r.T95, b.t95, false},
			{b.scenario, "recover", r.Recover, b.recover, false},
			{b.scenario, "act", r.Act, b.act, true},
		} {
			if !math.IsNaN(v.want) {
				vs = append(vs, v)
			}
		}
		if b.partOfTheAverage {
			n++
			mean += r.Score
			meanWorst += r.Worst
			lowest = min(lowest, r.Worst)
			most = max(most, r.Ratio)
		}
	}
	if n == count {
		k := float64(n)
		vs = append(vs,
			verdict{"all", "mean", mean / k, minMean, true},
			verdict{"all", "mean of worst", meanWorst / k, minMeanWorst, true},
			verdict{"all", "worst run", lowest, minRun, true},
			verdict{"all", "highest N/N*", most, maxRatio, false})
	}
	return vs
}

// missed returns those of vs that are not met.
func missed(vs []verdict) []verdict {
	var m []verdict
	for _, v := range vs {
		if !v.met() {
			m = append(m, v)
		}
	}
	return m
}

// describeBars returns the verdicts as text: a line per scenario.
func describeBars(vs []verdict) string {
	var b strings.Builder
	m := missed(vs)
	fmt.Fprintf(&b, "%d of %d bars met\n", len(vs)-len(m), len(vs))
	for i := 0; i < len(vs); {
		name := vs[i].scenario
		var miss []string
		from := i
		for ; i < len(vs) && vs[i].scenario == name; i++ {
			if v := vs[i]; !v.met() {
				sign := "at most"
				if v.atLeast {
					sign = "at least"
				}
				miss = append(miss, fmt.Sprintf("%s %s (%s %.4g)", v.figure, v.outcome(), sign, v.want))
			}
		}
		if len(miss) == 0 {
			fmt.Fprintf(&b, "%-12s all %d met\n", name, i-from)
		} else {
			fmt.Fprintf(&b, "%-12s %s\n", name, strings.Join(miss, "; "))
		}
	}
	return b.String()
}
