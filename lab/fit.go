package lab

import (
	"math"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// fitBeyond fits a straight line, by least squares, through the points of a label
// from x on: one for each round, whose points were measured one after the other,
// so that what is slow about a round does not tilt it. The slope is the median of
// theirs, with its interval; no distribution is assumed.
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

// leastSquares returns the slope of the line with the least sum of squares of
// what it misses the ys by. It goes through the means.
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
