package stats

import (
	"math"
	"slices"
)

// Median returns the middle of xs, the mean of the middle two of an even
// number, and NaN of none.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	xs = slices.Sorted(slices.Values(xs))
	h := len(xs) / 2
	if len(xs)%2 == 1 {
		return xs[h]
	}
	return (xs[h-1] + xs[h]) / 2
}

// Spread returns how far xs lie apart: (largest - smallest) / median. It is 0
// of a single one and NaN of none.
func Spread(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	return (slices.Max(xs) - slices.Min(xs)) / Median(xs)
}
