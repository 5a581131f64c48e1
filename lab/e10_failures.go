package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

func e10() *experiment {
	return &experiment{
		id: "E10", size: streamSize,
		axis: streamAxis, better: higher,
		points: failurePoints,
		judge:  judgeFailures,
		short:  shortIn(allJobs),
	}
}

// tuned are the parameters for real work, the recommended ones among them: all
// pairs at the article's size.
func tuned(s scale) (gs, rates []float64) {
	return by(s, []float64{articleGain, 0.5}, []float64{0.05, articleGain, 0.3, 0.5}, gains),
		by(s, []float64{0.1, articleChangeRate}, []float64{0.1, articleChangeRate, 0.5}, changeRates)
}

// tunedJob is the work for these parameters.
func tunedJob() *job { return searchJobs()[1] }

// tunedLaws are the article's law with those parameters.
func tunedLaws(s scale) []governor {
	ks, rates := tuned(s)
	return concat(ks, func(k float64) []governor {
		return each(rates, func(rate float64) governor { return published(k, rate) })
	})
}

// variantJobs are the tasks that the variants of the law are run on.
func variantJobs(s scale) []*job { return by(s, []*job{tunedJob()}, allJobs(s), allJobs(s)) }

// simulatedGovernors are those that have a law for a simulated machine.
func simulatedGovernors() []governor {
	return slices.DeleteFunc(append(governors(), variantGovernors()...), func(g governor) bool { return g.law == nil })
}

func failurePoints(s scale) []point {
	var ps []point
	for _, name := range []string{ceiling, plateau, mixed} {
		for _, g := range simulatedGovernors() {
			p := simulatedPoint(name, g)
			ps = append(ps, p, p.showing(p.label+", "+meanLimit, timesNumber, meanLimit))
		}
	}
	p := parametersPoint()
	ps = append(ps, p)
	p.label, p.extra, p.shown = "simulated parameters: "+highestScore, highestScore, false
	ps = append(ps, p)
	for _, j := range allJobs(s) {
		ps = append(ps, slices.DeleteFunc(j.points(s), func(p point) bool { return p.extra == medianLimit })...)
	}
	for _, g := range tunedLaws(s) {
		if g.name != asPublished {
			ps = append(ps, inRounds(variantRounds, tunedJob().point(s, g), tunedJob().beside(s, g, meanLimit))...)
		}
	}
	for _, j := range variantJobs(s) {
		for _, g := range variantGovernors() {
			ps = append(ps, inRounds(variantRounds, j.point(s, g), j.beside(s, g, meanLimit))...)
		}
	}
	return ps
}

// variantRounds are those of the article's law in other forms on real work: the verdict
// does not depend on them.
const variantRounds = 2

// When a failure is one.
const (
	runaway  = 5.0 // times the number that would do, or the CPUs if those are more
	stuckAt  = 0.5 // times that, with
	stuckFor = 0.8 // of the best throughput
	swings   = 1.2 // times between the scores of parameters
)

// failure says what goes wrong with a task under a governor, if anything does.
func (w sweep) failure(g governor) string {
	limit, s := w.limit(g, meanLimit), w.score(g)
	x := limit / w.smallest.X
	switch {
	case x > runaway && limit > runaway*float64(w.r.cpus):
		return fmt.Sprintf("runs away in %s (%s x the number)", w.job.name, humanize.Number(x))
	case x < stuckAt && s.high < stuckFor:
		return fmt.Sprintf("is stuck in %s (%s x the number, %s of the best)", w.job.name, humanize.Number(x), humanize.Number(s.y))
	}
	return ""
}

// judgeFailures looks for the failures in simulation, where the best number is known
// exactly, and on real work; and then for the same failures under ours, and under
// the variants that the talk proposes.
func judgeFailures(r *results) verdict {
	score := func(name string, g governor) float64 { return r.at("simulated "+name+": "+g.name, 0).Y }
	excess := func(name string, g governor) float64 {
		return r.at("simulated "+name+": "+g.name+", "+meanLimit, 0).Y
	}
	law := governors()[0]
	lowest, highest := r.at("simulated parameters: "+lowestScore, 0).Y, r.at("simulated parameters: "+highestScore, 0).Y
	v := verdict{
		words: fmt.Sprintf("in simulation the limit runs away to %s x the best number; it is stuck with %s of the best throughput; depending on its parameters, the law has %s to %s of it",
			humanize.Number(excess(ceiling, law)), humanize.Number(score(plateau, law)), humanize.Number(lowest), humanize.Number(highest)),
		effect: whether(excess(ceiling, law) > runaway && score(plateau, law) < stuckFor && highest > swings*lowest),
	}
	gone := excess(ceiling, ourLaw) <= runaway && score(plateau, ourLaw) >= stuckFor
	for _, g := range simulatedGovernors() {
		v.notes = append(v.notes, fmt.Sprintf("Simulated, %s: below a ceiling of CPU usage %s x the best number; on a plateau %s of the best throughput; with work that waits %s of it.",
			g.name, humanize.Number(excess(ceiling, g)), humanize.Number(score(plateau, g)), humanize.Number(score(mixed, g))))
	}

	sweeps := each(allJobs(r.scale), r.sweepOf)
	failures := map[string][]string{}
	for _, w := range sweeps {
		tried := governors()
		if slices.ContainsFunc(variantJobs(r.scale), func(o *job) bool { return o.name == w.job.name }) {
			tried = append(tried, variantGovernors()...)
		}
		for _, g := range tried {
			if f := w.failure(g); f != "" {
				failures[g.name] = append(failures[g.name], f)
			}
		}
	}
	for _, g := range append(governors(), variantGovernors()...) {
		says := cmp.Or(strings.Join(failures[g.name], ", "), "neither runs away nor is stuck")
		v.notes = append(v.notes, fmt.Sprintf("On real work %s %s.", g.name, says))
	}
	heat, words := r.tunedHeat()
	v.notes = append(v.notes, sentence(words))
	v.heat = heat
	if gone && len(failures[ourLaw.name]) == 0 {
		v.notes = append(v.notes, "Ours shows neither failure, simulated or real, and has no parameters.")
	} else {
		v.notes = append(v.notes, "Ours is not free of these failures here: see above.")
	}
	v.ours = worst(sweeps)
	return v
}

// tunedHeat returns what the search does with each pair of parameters: its
// throughput over that of the best fixed number, and its mean limit.
func (r *results) tunedHeat() ([]figures.Heat, string) {
	j := tunedJob()
	w := r.sweepOf(j)
	scores := parameterHeat("Score of the article's law as published by its parameters, "+j.name, scoreUnit, higher)
	limits := parameterHeat("Mean limit of the article's law as published by its parameters, "+j.name, limitUnit, lower)
	ks, rates := tuned(r.scale)
	laws := tunedLaws(r.scale)
	for i, k := range ks {
		for l, rate := range rates {
			g := laws[i*len(rates)+l]
			scores.Cells = append(scores.Cells, figures.HeatCell{X: k, Y: rate, Value: rounded(w.score(g).y)})
			limits.Cells = append(limits.Cells, figures.HeatCell{X: k, Y: rate, Value: rounded(w.limit(g, meanLimit))})
		}
	}
	by := func(a, b figures.HeatCell) int { return cmp.Compare(a.Value, b.Value) }
	least, most := slices.MinFunc(scores.Cells, by), slices.MaxFunc(scores.Cells, by)
	few, many := slices.MinFunc(limits.Cells, by), slices.MaxFunc(limits.Cells, by)
	return []figures.Heat{scores, limits}, fmt.Sprintf("depending on gain and change rate, the article's law reaches %s (%g, %g) to %s (%g, %g) of the best in %s, with mean limits from %s to %s; ours %s with %s",
		humanize.Number(least.Value), least.X, least.Y, humanize.Number(most.Value), most.X, most.Y, j.name, humanize.Number(few.Value), humanize.Number(many.Value),
		humanize.Number(w.score(ourLaw).y), humanize.Number(w.limit(ourLaw, meanLimit)))
}

// The failures that the article reports, as simulated machines, and work that waits, from
// package sim: each unit computes for 1 ms and waits for 9 ms.
const (
	ceiling = "ceiling"
	plateau = "plateau"
	mixed   = "mixed"
)

// seeds is how many runs a simulated figure is the mean of.
const seeds = 3

// simulated runs a scenario under a law. It returns the score, which is the
// throughput that the limit sustains over that of the best number, and the mean
// limit in the last third over that number.
func simulated(name string, law func() control.Controller) (score, limit float64, err error) {
	s := scenarioOf(name)
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
