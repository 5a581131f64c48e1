package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

func ExampleOrder() {
	for round := range 3 {
		fmt.Println(stats.Order(6, round, 3))
	}
	// Output:
	// [0 1 2 3 4 5]
	// [2 3 4 5 0 1]
	// [4 5 0 1 2 3]
}

func ExampleMedian() {
	fmt.Println(stats.Median([]float64{9, 1, 5}), stats.Median([]float64{4, 1, 2, 9}))
	// Output: 5 3
}

func ExampleSpread() {
	fmt.Println(stats.Spread([]float64{90, 100, 110}))
	// Output: 0.2
}

// Every limit comes once in each round, and none is always first.
func TestOrderIsARotation(t *testing.T) {
	firsts := map[int]bool{}
	for round := range 3 {
		o := stats.Order(14, round, 3)
		firsts[o[0]] = true
		slices.Sort(o)
		for i, x := range o {
			if x != i {
				t.Fatalf("round %d: %v is not a permutation", round, o)
			}
		}
	}
	if len(firsts) != 3 {
		t.Errorf("first in three rounds: %v, want three different", firsts)
	}
	if len(stats.Order(0, 0, 0)) != 0 {
		t.Error("nothing to order must be nothing")
	}
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

func TestFormatTime(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 999.4: "999 ns", 999.6: "1 µs", 12_340: "12.3 µs", 999_400: "999 µs", 999_700: "1 ms", -999_700: "-1 ms",
		999.6e6: "1 s", 1.234e9: "1.23 s", 999.7e9: "1000 s", 1200e9: "1200 s", math.NaN(): "",
	} {
		if got := stats.FormatTime(ns); got != want {
			t.Errorf("%v ns: %q, want %q", ns, got, want)
		}
	}
}

func TestFormatRate(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 21.567: "21.57", 123.45: "123.5", 91912.4: "91912"} {
		if got := stats.FormatRate(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
