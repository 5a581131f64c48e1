package evidence

import (
	"golang.org/x/perf/benchmath"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// RatioOf returns the median of the ratios of samples of the same round, with
// their range.
func RatioOf(a, b []float64) dissect.Spread { return dissect.SpreadOf(ratios(a, b)) }

// RatioWithin returns the same median with its interval of 95 %, which unlike the range narrows
// with more rounds. Below six rounds no interval has that confidence: it is then the range.
func RatioWithin(a, b []float64) dissect.Spread {
	all := ratios(a, b)
	s := dissect.SpreadOf(all)
	within := benchmath.AssumeNothing.Summary(benchmath.NewSample(all, &benchmath.DefaultThresholds), 0.95)
	return dissect.Spread{Mid: s.Mid, Low: max(s.Low, within.Lo), High: min(s.High, within.Hi)}
}

func ratios(a, b []float64) []float64 {
	var all []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return all
}

// Median returns the middle of some samples, or the mean of the two in the middle.
func Median(values []float64) float64 { return dissect.SpreadOf(values).Mid }
