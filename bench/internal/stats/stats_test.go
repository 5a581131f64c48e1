package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

func ExampleMedian() {
	fmt.Println(stats.Median([]float64{9, 1, 5}), stats.Median([]float64{4, 1, 2, 9}))
	// Output: 5 3
}

func ExampleSpread() {
	fmt.Println(stats.Spread([]float64{90, 100, 110}))
	// Output: 0.2
}

func TestOfNothing(t *testing.T) {
	if !math.IsNaN(stats.Median(nil)) || !math.IsNaN(stats.Spread(nil)) {
		t.Error("median and spread of nothing must be NaN")
	}
}

func ExampleInterval() {
	fmt.Println(stats.Interval([]float64{5, 1, 4, 2, 3, 9, 8, 7, 6, 10}))
	fmt.Println(stats.Interval([]float64{3, 1, 2}))
	fmt.Println(stats.Interval(nil))
	// Output:
	// 2 9
	// 1 3
	// NaN NaN
}

func TestFormatRate(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 21.567: "21.57", 123.45: "123.5", 91912.4: "91912"} {
		if got := stats.FormatRate(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
