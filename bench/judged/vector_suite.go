package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

type vectorWay struct {
	around bool // a permit is held for a request with its retries
	admit  func(*clock, machine) *limiter
}

func vectorFixed(n int) vectorWay {
	return vectorWay{admit: func(c *clock, m machine) *limiter {
		return newLimiter(c, nil, n, m)
	}}
}

// vectorWays returns Vector's law, ours, and where the sink refuses also ours in
// Vector's place, outside of the retries. A scenario with a number has that one only.
func vectorWays(o options, sc *vectorScenario) []vectorWay {
	theirs := vectorWay{around: true, admit: func(c *clock, m machine) *limiter {
		l := newLimiter(c, nil, 1, m)
		l.watched = []watcher{new(arc)}
		return l
	}}
	ours := vectorWay{admit: func(c *clock, m machine) *limiter { return newLimiter(c, o.law(), cpus, m) }}
	switch {
	case sc.Fixed > 0:
		return []vectorWay{vectorFixed(sc.Fixed)}
	case sc.Most > 0 || sc.Rate > 0:
		return []vectorWay{theirs, ours, {around: true, admit: ours.admit}}
	}
	return []vectorWay{theirs, ours}
}

// A vectorResult is what came of a scenario with one seed.
type vectorResult struct {
	took    float64 // s
	refused float64 // requests that the sink deferred or dropped
	stats   map[quantity]summary
}

func playVector(o options, sc *vectorScenario, w vectorWay) (rs []vectorResult) {
	for _, seed := range o.seeds {
		m := machine{maxLimit: vectorMaxLimit, seed: seed}
		r := newVectorRun(sc, seed, w.around, func(c *clock) *limiter { return w.admit(c, m) })
		res := vectorResult{took: r.play().Seconds(), refused: float64(r.sink.refused)}
		res.stats = map[quantity]summary{
			sinkInFlight: r.sink.levels.summary(), sinkRate: r.sink.rates.summary(),
			inFlight: r.seen.inFlight.summary(), limitInForce: r.seen.limits.summary(),
			timeTaken: r.seen.times.summary,
		}
		for _, w := range r.lim.watched {
			if a, ok := w.(*arc); ok {
				res.stats[timeAveraged] = a.averaged.summary
			}
		}
		rs = append(rs, res)
	}
	return rs
}

var vectorNumbers = []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 200}

func judgeVector(o options) []program.Table {
	outcome := program.Table{Name: "vector", Caption: "Seconds until all requests are served and, in brackets, those of the quickest fixed number over them; requests refused by the sink, most in flight there, and bands kept.",
		Head: []string{"scenario", "fixed", "", "Vector's law", "ours", "ours, held while it retries"}, Words: true}
	bands := program.Table{Name: "vector-bands", Caption: "The bands that Vector's law or ours does not keep: ↑ is above, ↓ below. Next, the quickest fixed number, and the quickest that keeps these bands with its throughput over that. Last, the most that any law can have of that throughput within the mean in flight, by Little's law.",
		Head: []string{"scenario", "quantity", "bands", "Vector's law", "ours", "fixed", "fixed, within", "any law, within"}, Words: true}
	var missed, kept int // rows in which ours misses a band, and of these those that a quick fixed number keeps
	for i := range vectorScenarios {
		sc := &vectorScenarios[i]
		ways := vectorWays(o, sc)
		var results [][]vectorResult
		for _, w := range ways {
			results = append(results, playVector(o, sc, w))
		}
		sweep := []vectorFixedRun{{sc.Fixed, results[0]}}
		if sc.Fixed == 0 {
			sweep = sweepVector(o, sc)
		}
		best := sweep[0].rs
		row := []string{sc.Name, fmt.Sprint(sweep[0].n), outcomeOf(sc, best, best)}
		for _, rs := range results {
			row = append(row, outcomeOf(sc, rs, best))
		}
		for len(row) < len(outcome.Head) {
			row = append(row, "")
		}
		outcome.Add(row...)
		m, k := addBands(&bands, sc, results[0], results[min(1, len(results)-1)], sweep)
		missed, kept = missed+m, kept+k
	}
	bands.Add("all", "rows in which ours misses", "", "", fmt.Sprint(missed), "",
		fmt.Sprintf("%d with %.2f or more, %d not", kept, vectorQuick, missed-kept), "")
	return []program.Table{outcome, bands}
}

// A vectorFixedRun is a fixed number and what came of it.
type vectorFixedRun struct {
	n  int
	rs []vectorResult
}

// sweepVector returns the fixed numbers, the quickest first.
func sweepVector(o options, sc *vectorScenario) (all []vectorFixedRun) {
	for _, n := range vectorNumbers {
		all = append(all, vectorFixedRun{n, playVector(o, sc, vectorFixed(n))})
	}
	slices.SortStableFunc(all, func(a, b vectorFixedRun) int { return cmp.Compare(took(a.rs), took(b.rs)) })
	return all
}

// outcomeOf sums up what came of a scenario.
func outcomeOf(sc *vectorScenario, rs, best []vectorResult) string {
	refused := meanOf(rs, func(r vectorResult) float64 { return r.refused })
	peak := meanOf(rs, func(r vectorResult) float64 { return r.stats[sinkInFlight].max })
	return fmt.Sprintf("%s (%.2f), %.0f, %.0f, %s", figure(took(rs)), took(best)/took(rs), refused, peak, kept(sc.Bands, rs))
}

func took(rs []vectorResult) float64 {
	return meanOf(rs, func(r vectorResult) float64 { return r.took })
}

// kept returns how many bands are kept, of how many that apply.
func kept(bands map[quantity][]band, rs []vectorResult) string {
	in, all := 0, 0
	for of, bs := range bands {
		for _, b := range bs {
			x := b.value(of, rs)
			if math.IsNaN(x) {
				continue
			}
			if all++; b.misses(x) == "" {
				in++
			}
		}
	}
	return fmt.Sprintf("%d/%d", in, all)
}

// vectorQuick is the part of the best throughput with which a fixed number counts as one
// that shows what a law should do.
const vectorQuick = 0.95

// addBands adds a row for each quantity that is out of a band, with all its bands. It returns
// in how many of them ours is out, and in how many of these a quick fixed number is not.
func addBands(t *program.Table, sc *vectorScenario, theirs, ours []vectorResult, sweep []vectorFixedRun) (missed, kept int) {
	for _, of := range []quantity{sinkInFlight, sinkRate, inFlight, limitInForce, timeTaken, timeAveraged} {
		bands := sc.Bands[of]
		var want []string
		for _, b := range bands {
			want = append(want, fmt.Sprintf("%s %.4g–%.4g", b.stat, b.low, b.top))
		}
		a, b, quickest := valuesOf(of, bands, theirs), valuesOf(of, bands, ours), sweep[0]
		if !strings.ContainsAny(a+b, "↑↓") {
			continue
		}
		within, quick := "none", 0.0
		for _, f := range sweep {
			if !strings.ContainsAny(valuesOf(of, bands, f.rs), "↑↓") {
				quick = took(quickest.rs) / took(f.rs)
				within = fmt.Sprintf("%d (%.2f)", f.n, quick)
				break
			}
		}
		if strings.ContainsAny(b, "↑↓") {
			missed++
			if quick >= vectorQuick {
				kept++
			}
		}
		t.Add(sc.Name, string(of), strings.Join(want, ", "), a, cmp.Or(b, "–"),
			fmt.Sprintf("%d: %s", quickest.n, valuesOf(of, bands, quickest.rs)), within, sc.within(of, took(quickest.rs)))
	}
	return missed, kept
}

// valuesOf returns what bands of a quantity are about, and on which side it is out.
func valuesOf(of quantity, bands []band, rs []vectorResult) string {
	var cells []string
	for _, b := range bands {
		if v := b.value(of, rs); !math.IsNaN(v) {
			cells = append(cells, stats.FormatDigits(v)+b.misses(v))
		}
	}
	return strings.Join(cells, ", ")
}

// within returns how close to the quickest a law can come that keeps a mean in flight.
// Every request is in flight for the delay at least, so that all take their number times
// the delay over the mean.
func (sc *vectorScenario) within(of quantity, quickest float64) string {
	for _, b := range sc.Bands[of] {
		if b.stat == "mean" && (of == inFlight || of == sinkInFlight) {
			return fmt.Sprintf("%.2f", min(1, quickest*b.top/(float64(sc.Requests)*sc.Delay)))
		}
	}
	return ""
}

// value returns what a band of a quantity is about, the middle one of the runs; NaN if
// they lack that quantity.
func (b band) value(of quantity, rs []vectorResult) float64 {
	var xs []float64
	for _, r := range rs {
		s, ok := r.stats[of]
		if !ok {
			return math.NaN()
		}
		xs = append(xs, map[string]float64{"min": s.min, "max": s.max, "mode": s.mode, "mean": s.mean}[b.stat])
	}
	return stats.Median(xs)
}

// misses says on which side x is out of the band, if it is.
func (b band) misses(x float64) string {
	const rounding = 1e-6 // of sums of floating-point numbers
	switch {
	case x < b.low-rounding:
		return "↓"
	case x > b.top+rounding:
		return "↑"
	}
	return ""
}

func meanOf[T any](xs []T, of func(T) float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += of(x)
	}
	return sum / float64(len(xs))
}
