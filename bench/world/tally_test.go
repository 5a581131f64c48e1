package main_test

import (
	"math"
	"testing"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

// A round has the fixed numbers 1, 4 and 16 before and after, and an automatic run.
func round(speed, drift float64, auto world.Sample) []world.Sample {
	var samples []world.Sample
	for n, rate := range map[int]float64{1: 50, 4: 99, 16: 100} {
		samples = append(samples, world.NewSample("before", n, speed*rate), world.NewSample("after", n, drift*speed*rate))
	}
	return append(samples, auto)
}

func TestJudge(t *testing.T) {
	v := world.Judge([]int{1, 4, 16},
		round(1, 1, world.NewAutoSample(8, 60, 90, 100)),
		round(2, 1, world.NewAutoSample(4, 160, 190, 198)), // a machine twice as fast
		round(1, 3, world.NewAutoSample(6, 180, 196, 202)), // one that gets faster: 16 has 200 in the mean
	)
	if v.Best != 16 || v.NStar != 4 || v.BestRate != 200 {
		t.Errorf("best %d with %v/s, N* %d; want 16 with 200, 4", v.Best, v.BestRate, v.NStar)
	}
	for i, want := range []float64{0.8, 0.95, 1} {
		if math.Abs(v.Shares[i]-want) > 1e-9 {
			t.Errorf("share %d: %v of %v, want %v", i, v.Shares[i], v.Rounds[i], want)
		}
	}
	if math.Abs(v.Limit-6) > 1e-9 || math.Abs(v.Drift-1) > 1e-9 {
		t.Errorf("limit %v, drift %v; want the medians 6 and 1", v.Limit, v.Drift)
	}
	if len(v.Fixed) != 3 || v.Fixed[1].N != 4 || v.Fixed[1].Rate != 198 {
		t.Errorf("fixed %+v; want 1, 4 and 16, in order, 4 with 198/s", v.Fixed)
	}
	if v.Others != nil {
		t.Errorf("others %v, want unknown", *v.Others)
	}
}
