package evidence

import "github.com/sweetspot-go/sweetspot/lab/dissect"

// RatioOf returns the median of the ratios of samples of the same round, with
// their range.
func RatioOf(a, b []float64) dissect.Spread {
	var all []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return dissect.SpreadOf(all)
}

// Median returns the middle of some samples, or the mean of the two in the middle.
func Median(values []float64) float64 { return dissect.SpreadOf(values).Mid }
