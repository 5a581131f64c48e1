package lab_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab"
)

func TestNumberingsGiveEachNumberOnce(t *testing.T) {
	for how := range lab.Numberings {
		for _, clients := range []int{1, 3, 8} {
			for _, n := range []int{1, 8, 100, 1037} {
				for _, asItems := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %d clients, %d requests, %v", how, clients, n, asItems), func(t *testing.T) {
						got, err := lab.Numbers(how, clients, n, asItems)
						if err != nil {
							t.Fatal(err)
						}
						all := slices.Concat(got...)
						slices.Sort(all)
						for i, number := range all {
							if number != int64(i)+1 {
								t.Fatalf("number %d is %d", i+1, number)
							}
						}
						if len(all) != n {
							t.Fatalf("%d numbers, want %d", len(all), n)
						}
						if err := lab.CheckNumbers(got, n); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

func TestWrongNumbersAreAnError(t *testing.T) {
	for name, got := range map[string][][]int64{
		"lost":     {{1, 2}, {4}},
		"twice":    {{1, 2}, {2, 4}},
		"disorder": {{2, 1}, {3, 4}},
		"short":    {{1, 2, 3}, {}},
	} {
		if lab.CheckNumbers(got, 4) == nil {
			t.Errorf("%s: %v passed the check", name, got)
		}
	}
	if err := lab.CheckNumbers([][]int64{{1, 3}, {2, 4}}, 4); err != nil {
		t.Error(err)
	}
}

func TestQuantile(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(200-i))
	}
	for part, want := range map[float64]time.Duration{0.5: 100, 0.99: 198, 0.991: 199, 1: 200, 0: 1} {
		if got := lab.Quantile(all, part); got != want {
			t.Errorf("quantile %v of 1 to 200 is %d, want %d", part, got, want)
		}
	}
	if got := lab.Quantile([]time.Duration{7}, 0.99); got != 7 {
		t.Errorf("quantile of one is %d", got)
	}
}
