package score_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

func ExampleSheet_Judge() {
	var s score.Sheet
	for round, drift := range []float64{1, 0.5, 1.1} { // the machine is slow in one round
		s.Fixed(round, 1, 960*drift)
		s.Fixed(round, 2, 1950*drift)
		s.Fixed(round, 4, 1970*drift)
		s.Auto(round, 1930*drift, 3)
	}
	v := s.Judge()
	fmt.Printf("best %d: %.0f/s, enough %d\n", v.Best, v.BestRate, v.Enough)
	fmt.Printf("rate %.3f\n", v.Ratio)
	fmt.Printf("limit %.2f\n", v.LimitRatio)
	// Output:
	// best 4: 1970/s, enough 2
	// rate 0.980
	// limit 1.50
}

// The ratio of a round is formed against figures of that round, not against those of the
// limit that is best over all, which a slow machine would make too much.
func TestRatiosAreOfTheirRound(t *testing.T) {
	var s score.Sheet
	s.Fixed(0, 2, 100)
	s.Fixed(0, 4, 50)
	s.Fixed(1, 2, 100)
	s.Fixed(1, 4, 90)
	s.Fixed(2, 2, 50)
	s.Fixed(2, 4, 60)
	s.Auto(0, 90, 2)
	s.Auto(1, 50, 2)
	s.Auto(2, 45, 2)
	v := s.Judge()
	if v.Best != 2 || v.BestRate != 100 {
		t.Errorf("best %d with %v, want 2 with 100", v.Best, v.BestRate)
	}
	// By rounds 1 and 2 it is 4: 0.95 of their best, 2 has 0.92.
	if want := []float64{1.8, 0.5, 0.9}; !slices.Equal(v.Ratios, want) {
		t.Errorf("ratios %v, want %v", v.Ratios, want)
	}
	if v.Ratio != 0.9 {
		t.Errorf("median ratio %v, want 0.9", v.Ratio)
	}
}

func TestEnoughIsTheLeastWithinTwoPercent(t *testing.T) {
	for _, c := range []struct {
		rates map[int]float64
		want  int
	}{
		{map[int]float64{1: 97.9, 8: 98, 16: 100}, 8},
		{map[int]float64{1: 98, 8: 10, 16: 100}, 1},
		{map[int]float64{64: 5}, 64},
	} {
		var s score.Sheet
		for n, x := range c.rates {
			s.Fixed(0, n, x)
		}
		if got := s.Judge().Enough; got != c.want {
			t.Errorf("%v: enough %d, want %d", c.rates, got, c.want)
		}
	}
}

// A round whose fixed runs all failed has no ratio.
func TestMissing(t *testing.T) {
	var s score.Sheet
	if v := s.Judge(); v.Best != 0 || v.Enough != 0 {
		t.Errorf("empty sheet: %+v", v)
	}
	s.Auto(0, 10, 2)
	if v := s.Judge(); !math.IsNaN(v.Ratio) || v.AutoRate != 10 {
		t.Errorf("without fixed: %+v", v)
	}
	s.Fixed(1, 2, 10)
	s.Auto(1, 10, 2)
	if v := s.Judge(); !slices.Equal(v.Ratios, []float64{1}) {
		t.Errorf("one round of two has a pair: ratios %v, want [1]", v.Ratios)
	}
	if n, _ := s.BestOf(0); n != 0 {
		t.Errorf("best of a round without fixed: %d, want 0", n)
	}
}
