package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// confidence is that of all intervals, as benchstat has it.
const confidence = 0.95

type estimate struct{ y, low, high float64 }

// estimateOf makes no assumption about how the samples are distributed: the
// interval is between two of them, by their order. Below six samples no interval
// has the confidence; it then holds all of them.
func estimateOf(samples []float64) estimate {
	s := benchmath.NewSample(slices.Clone(samples), &benchmath.DefaultThresholds) // it sorts them; rounds have an order
	sum := benchmath.AssumeNothing.Summary(s, confidence)
	e := estimate{sum.Center, sum.Lo, sum.Hi}
	if math.IsInf(e.low, 0) || math.IsNaN(e.low) {
		e.low = s.Values[0]
	}
	if math.IsInf(e.high, 0) || math.IsNaN(e.high) {
		e.high = s.Values[len(s.Values)-1]
	}
	return e
}

type results struct {
	e       *experiment
	points  []figures.Point
	scale   scale
	cpus    int
	seconds float64 // that its points took, where they are its own
}

// at returns the point of that label and x. Asking for one that was not measured
// is a fault of the experiment.
func (r *results) at(label string, x float64) *figures.Point {
	for i := range r.points {
		if p := &r.points[i]; p.Label == label && p.X == x {
			return p
		}
	}
	panic(fmt.Sprintf("lab: %s has no point %s at %g", r.e.id, label, x))
}

func (r *results) of(label string) []*figures.Point {
	var ps []*figures.Point
	for i := range r.points {
		if r.points[i].Label == label {
			ps = append(ps, &r.points[i])
		}
	}
	return ps
}

// ratio returns how many times as large the figure of a is as that of b, formed
// within rounds.
func ratio(a, b *figures.Point) estimate { return estimateOf(ratios(a, b)) }

func ratios(a, b *figures.Point) []float64 {
	return byRound(a, b, func(x, y float64) float64 { return x / y })
}

// removed returns how much less b is than a, formed within rounds.
func removed(a, b *figures.Point) estimate { return estimateOf(differences(a, b)) }

func differences(a, b *figures.Point) []float64 {
	return byRound(a, b, func(x, y float64) float64 { return x - y })
}

// byRound returns what f makes of the samples of a and b in each round.
func byRound(a, b *figures.Point, f func(x, y float64) float64) []float64 {
	var vs []float64
	for i := range min(len(a.Samples), len(b.Samples)) {
		vs = append(vs, f(a.Samples[i], b.Samples[i]))
	}
	return vs
}

// speedups returns how many times better a is than b in each round.
func (r *results) speedups(a, b *figures.Point) []float64 {
	if r.e.better != higher {
		return ratios(b, a)
	}
	return ratios(a, b)
}

// speedup returns how many times better a is than b, whichever way is better.
func (r *results) speedup(a, b *figures.Point) estimate {
	return estimateOf(r.speedups(a, b))
}

func (r *results) bestOf(which func(p *figures.Point) bool) *figures.Point {
	var best *figures.Point
	for i := range r.points {
		p := &r.points[i]
		if which(p) && (best == nil || (p.Y < best.Y) == (r.e.better != higher)) {
			best = p
		}
	}
	if best == nil {
		panic(fmt.Sprintf("lab: %s has no such point", r.e.id))
	}
	return best
}

func byFigure(a, b *figures.Point) int { return cmp.Compare(a.Y, b.Y) }

// answer compares our best point with the best variant of the article.
func (r *results) answer() *figures.Ours {
	return r.answerAmong(isVariant, func(p *figures.Point) bool { return p.Ours && !p.Aside })
}

// answerOf compares the given point of ours with the best of the variants.
func (r *results) answerOf(variants func(*figures.Point) bool, ours *figures.Point) *figures.Ours {
	return r.answerAmong(variants, func(p *figures.Point) bool { return p.Label == ours.Label && p.X == ours.X })
}

// answerAmong compares the best of ours with the best of the variants. The
// best of the even rounds is compared in the odd ones, and the other way round,
// because the best of many is also the luckiest.
func (r *results) answerAmong(variants, ours func(*figures.Point) bool) *figures.Ours {
	answer := r.answerTo(r.bestOf(variants), r.bestOf(ours))
	var ratios []float64
	var bests []string
	for odd := range 2 {
		theirs, mine := r.bestOfHalf(odd, variants), r.bestOfHalf(odd, ours)
		if theirs == nil || mine == nil {
			return answer // there is but one round
		}
		ratios = append(ratios, half(1-odd, r.speedups(mine, theirs))...)
		if name := r.nameOf(theirs); !slices.Contains(bests, name) {
			bests = append(bests, name)
		}
	}
	e := estimateOf(ratios)
	answer.Ratio, answer.Low, answer.High = e.y, e.low, e.high
	answer.Best = strings.Join(bests, " or ")
	return answer
}

// bestOfHalf is the best by the odd or the even rounds alone, or nil if a point has no such
// rounds.
func (r *results) bestOfHalf(odd int, which func(p *figures.Point) bool) (best *figures.Point) {
	var most float64
	for i := range r.points {
		p := &r.points[i]
		if !which(p) {
			continue
		}
		samples := half(odd, p.Samples)
		if len(samples) == 0 {
			return nil
		}
		if y := estimateOf(samples).y; best == nil || (y < most) == (r.e.better != higher) {
			best, most = p, y
		}
	}
	return best
}

// half returns the samples of the odd or the even rounds.
func half(odd int, rounds []float64) (some []float64) {
	for i := odd; i < len(rounds); i += 2 {
		some = append(some, rounds[i])
	}
	return some
}

// isVariant reports whether the article measured a point.
func isVariant(p *figures.Point) bool { return !p.Ours && !p.Aside }

// answerTo compares the given point of ours with the given variant.
func (r *results) answerTo(best, ours *figures.Point) *figures.Ours {
	s := r.speedup(ours, best)
	return &figures.Ours{
		Label: ours.Label, Y: ours.Y, Unit: ours.Unit,
		Ratio: s.y, Low: s.low, High: s.high,
		Best: r.nameOf(best),
	}
}

// nameOf returns a point's label, with its place on the axis if it has one.
func (r *results) nameOf(p *figures.Point) string {
	if r.e.axis.Name == "" || p.X == 0 {
		return p.Label
	}
	return fmt.Sprintf("%s, %s %g", p.Label, r.e.axis.Name, p.X)
}

// String prints an estimate as a factor.
func (e estimate) String() string {
	return fmt.Sprintf("%s x (%s to %s)", humanize.Number(e.y), humanize.Number(e.low), humanize.Number(e.high))
}

// fitBeyond fits straight lines, by least squares, through the points of a label
// from x on: one for each round, whose points were measured one after the other,
// so that a slow round does not tilt its line. The slope is the median of theirs,
// with its interval; no distribution is assumed.
func (r *results) fitBeyond(label string, x float64) figures.Fit {
	xs, centres, slopes := r.slopesBeyond(label, x)
	slope := estimateOf(slopes)
	return figures.Fit{
		Label: label, Slope: slope.y, Low: slope.low, High: slope.high, From: xs[0],
		Intercept: estimateOf(centres).y - slope.y*mean(xs),
	}
}

// slopesBeyond returns the slope of each round's line, and how high it is in the middle
// of its xs.
func (r *results) slopesBeyond(label string, x float64) (xs, centres, slopes []float64) {
	var samples [][]float64
	rounds := math.MaxInt
	for _, p := range r.of(label) {
		if p.X < x {
			continue
		}
		xs = append(xs, p.X)
		samples = append(samples, p.Samples)
		rounds = min(rounds, len(p.Samples))
	}
	if len(xs) < 2 {
		panic("lab: " + r.e.id + " has too few points for a line: " + label)
	}
	ys := make([]float64, len(xs))
	for round := range rounds {
		for i := range samples {
			ys[i] = samples[i][round]
		}
		centres = append(centres, mean(ys))
		slopes = append(slopes, leastSquares(xs, ys))
	}
	return xs, centres, slopes
}

// leastSquares returns the slope of the line with the least sum of squared
// distances from the ys. It goes through the means.
func leastSquares(xs, ys []float64) float64 {
	mx, my := mean(xs), mean(ys)
	var xx, xy float64
	for i := range xs {
		xx += (xs[i] - mx) * (xs[i] - mx)
		xy += (xs[i] - mx) * (ys[i] - my)
	}
	return xy / xx
}

func mean(vs []float64) float64 {
	var sum float64
	for _, v := range vs {
		sum += v
	}
	return sum / float64(len(vs))
}
