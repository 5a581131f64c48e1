package stats

import (
	"math"

	"golang.org/x/perf/benchmath"
)

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
