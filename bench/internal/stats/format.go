package stats

import (
	"fmt"
	"math"
	"time"
)

// FormatRate formats a rate with four digits or more.
func FormatRate(x float64) string { return decimals(x, 100) }

// FormatRatio formats a ratio, and returns nothing for what is none.
func FormatRatio(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return decimals(x, 10)
}

// decimals formats a number with two decimals, with one from a number on, and with none from
// ten times that.
func decimals(x, one float64) string {
	switch {
	case x >= 10*one:
		return fmt.Sprintf("%.0f", x)
	case x >= one:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// FormatTime formats a time given in nanoseconds with three digits, and returns nothing
// for NaN.
func FormatTime(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return ""
	}
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", float64(time.Second)}, {"ms", float64(time.Millisecond)}, {"µs", float64(time.Microsecond)}} {
		if math.Abs(ns) >= 0.9995*u.ns { // 999.5 of the next unit would be 1000
			return FormatDigits(ns/u.ns) + " " + u.name
		}
	}
	return FormatDigits(ns) + " ns"
}

// FormatDigits formats a number with three digits, or with all that are before the point: %g
// alone makes 1e+03 of 999.5.
func FormatDigits(x float64) string {
	if math.Abs(x) >= 999.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
