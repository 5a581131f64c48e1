package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func e10() *experiment {
	return &experiment{
		id: "E10", title: "The reported failures", article: articleFeedback,
		about: "What the article reports to go wrong. In simulation: a CPU usage that cannot rise above a ceiling, a plateau before better numbers, and work that waits, by the article's law with gains of 0.05 to 0.5 and change rates of 0.1 to 0.5. On real work: all streams of E6 and E7, and the search by the same law with several gains and change rates.",
		claim: "the set point is not reset, and the limit runs away; it is stuck at 29 where more than 1,024 are better; change rate and gain must be tuned, 0.1 to 0.3 and 0.3 being good in most cases",
		size:  streamSize, rounds: streamRounds,
		axis: streamAxis, better: higher,
		points: failurePoints,
		judge:  judgeFailures,
	}
}

// tuned are the parameters that real work is tried with: all pairs at the article's
// size, the ends of both ranges in quick, their middles too in full.
func tuned(s scale) (gs, rates []float64) {
	switch s {
	case quick:
		return []float64{0.05, 0.5}, []float64{0.1, 0.5}
	case full:
		return []float64{0.05, 0.2, 0.5}, []float64{0.1, 0.3, 0.5}
	}
	return gains, changeRates
}

// tunedJob is the work that they are tried on.
func tunedJob() *job { return searchJobs()[1] }

// tunedLaws are the article's by those parameters, given half the time of others:
// there are many.
func tunedLaws(s scale) []governor {
	var gs []governor
	ks, rates := tuned(s)
	for _, k := range ks {
		for _, rate := range rates {
			g := articleLaw(control.OwnCPU, k, rate)
			g.part = 2
			gs = append(gs, g)
		}
	}
	return gs
}

func failurePoints(s scale) []point {
	var ps []point
	for _, name := range []string{ceiling, plateau, mixed} {
		for _, g := range governors() {
			p := simulatedPoint(name, g)
			ps = append(ps, p)
			p.label += ", " + meanLimit
			p.unit, p.aside, p.extra = timesNumber, true, meanLimit
			ps = append(ps, p)
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
		ps = append(ps, tunedJob().point(s, g), tunedJob().beside(s, g, meanLimit))
	}
	return ps
}

// When a failure is one.
const (
	runaway  = 5.0 // times the number that would do, or the CPUs if those are more
	stuckAt  = 0.5 // times that, with
	stuckFor = 0.8 // of the best throughput
	swings   = 1.2 // times between the scores of parameters
)

// judgeFailures looks for the failures, in simulation and on real work, and then
// for the same ones with ours.
func judgeFailures(r *results) verdict {
	law := governors()[0]
	score := func(name string, g governor) float64 { return r.at("simulated "+name+": "+g.name, 0).Y }
	excess := func(name string, g governor) float64 {
		return r.at("simulated "+name+": "+g.name+", "+meanLimit, 0).Y
	}
	lowest, highest := r.at("simulated parameters: "+lowestScore, 0).Y, r.at("simulated parameters: "+highestScore, 0).Y
	v := verdict{}
	var lines []string
	lines = append(lines, fmt.Sprintf("in simulation, below a ceiling of CPU usage the article's law ends at %s x the best number, ours at %s; on a plateau it reaches %s of the best throughput, ours %s; by its parameters it reaches %s to %s with work that waits, ours, which has none, %s",
		humanize.Number(excess(ceiling, law)), humanize.Number(excess(ceiling, ourLaw)), humanize.Number(score(plateau, law)), humanize.Number(score(plateau, ourLaw)), humanize.Number(lowest), humanize.Number(highest), humanize.Number(score(mixed, ourLaw))))
	shown := excess(ceiling, law) > runaway && score(plateau, law) < stuckFor && highest > swings*lowest
	gone := excess(ceiling, ourLaw) <= runaway && score(plateau, ourLaw) >= stuckFor

	var sweeps []sweep
	found := map[string][]string{}
	for _, j := range allJobs(r.scale) {
		w := r.sweepOf(j)
		sweeps = append(sweeps, w)
		for _, g := range governors() {
			limit := w.limit(g, meanLimit)
			x := limit / w.smallest.X
			s := w.score(g)
			switch {
			case x > runaway && limit > runaway*float64(r.cpus):
				found[g.name] = append(found[g.name], fmt.Sprintf("runs away in %s (%s x the number)", j.name, humanize.Number(x)))
			case x < stuckAt && s.high < stuckFor:
				found[g.name] = append(found[g.name], fmt.Sprintf("is stuck in %s (%s x the number, %s of the best)", j.name, humanize.Number(x), humanize.Number(s.y)))
			}
		}
	}
	for _, g := range governors() {
		says := "neither runs away nor is stuck"
		if f := found[g.name]; len(f) > 0 {
			says = strings.Join(f, ", ")
		}
		lines = append(lines, fmt.Sprintf("on real work %s %s", g.name, says))
	}
	heat, words := r.tunedHeat()
	lines = append(lines, words)
	v.words = strings.Join(lines, ".\n")
	v.effect = whether(shown)
	v.heat = heat
	if gone && len(found[ourLaw.name]) == 0 {
		v.notes = append(v.notes, "ours shows neither failure, simulated or real, and has no parameters")
	} else {
		v.notes = append(v.notes, "ours is not free of these failures here: see above")
	}
	v.ours = worst(sweeps)
	return v
}

// tunedHeat returns what the search does by parameter, as throughput by that of
// the best fixed number, and as mean limit.
func (r *results) tunedHeat() ([]figures.Heat, string) {
	j := tunedJob()
	w := r.sweepOf(j)
	scores := figures.Heat{Title: fmt.Sprintf("Score of the article's law by its parameters, %s", j.name), X: "gain", Y: "change rate", Unit: scoreUnit, Better: higher}
	limits := figures.Heat{Title: fmt.Sprintf("Mean limit of the article's law by its parameters, %s", j.name), X: "gain", Y: "change rate", Unit: limitUnit, Better: lower}
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
	return []figures.Heat{scores, limits}, fmt.Sprintf("by gain and change rate the article's law reaches %s (%g, %g) to %s (%g, %g) of the best in %s, with mean limits from %s to %s; ours %s with %s",
		humanize.Number(least.Value), least.X, least.Y, humanize.Number(most.Value), most.X, most.Y, j.name, humanize.Number(few.Value), humanize.Number(many.Value),
		humanize.Number(w.score(ourLaw).y), humanize.Number(w.limit(ourLaw, meanLimit)))
}
