package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
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

// confidence is that of intervals, as benchstat has it.
const confidence = 0.95

// Interval returns between which two of xs their true median lies, without any
// assumption about how they are distributed. Fewer than six have no such two: it
// then returns the smallest and the largest. Of none it returns NaN.
func Interval(xs []float64) (low, high float64) {
	if len(xs) == 0 {
		return math.NaN(), math.NaN()
	}
	s := benchmath.NewSample(xs, &benchmath.DefaultThresholds)
	sum := benchmath.AssumeNothing.Summary(s, confidence)
	low, high = sum.Lo, sum.Hi
	if math.IsInf(low, 0) || math.IsNaN(low) {
		low = s.Values[0]
	}
	if math.IsInf(high, 0) || math.IsNaN(high) {
		high = s.Values[len(s.Values)-1]
	}
	return low, high
}

// Order returns 0 to n-1 in the order for a round, beginning elsewhere in each
// of the rounds: the machine's slow changes then hit all in turn, and nobody
// comes always first. Rounds count from 0.
func Order(n, round, rounds int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round*n/max(rounds, 1)) % n
	}
	return order
}
