package main_test

import (
	"math"
	"math/rand/v2"
	"slices"
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

// shares returns the best number, N* and what an automatic limit that does auto got of the
// best, by round. A number does in each round what is given before and after.
func shares(fixed map[int][][2]float64, auto ...float64) (v world.Verdict, of []float64) {
	var rounds [][]world.Sample
	for i, rate := range auto {
		samples := []world.Sample{world.NewAutoSample(1, rate, rate, rate)}
		for n, rates := range fixed {
			samples = append(samples, world.NewSample("before", n, rates[i][0]), world.NewSample("after", n, rates[i][1]))
		}
		rounds = append(rounds, samples)
	}
	var numbers []int
	for n := range fixed {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	v = world.Judge(numbers, rounds...)
	return v, v.Rounds[1]
}

// twice has a round's measurements agree.
func twice(rates ...float64) (all [][2]float64) {
	for _, x := range rates {
		all = append(all, [2]float64{x, x})
	}
	return all
}

// The share of a round is formed against figures of that round, not against those of the number
// that is best over all, which a slow machine would make too much.
func TestSharesAreOfTheirRound(t *testing.T) {
	v, of := shares(map[int][][2]float64{2: twice(100, 100, 50), 4: twice(50, 90, 60)}, 90, 50, 45)
	// By rounds 1 and 2 it is 4: 0.95 of their best, 2 has 0.92.
	if want := []float64{1.8, 0.5, 0.9}; v.Best != 2 || v.BestRate != 100 || !slices.Equal(of, want) || v.Shares[1] != 0.9 {
		t.Errorf("best %d with %v, shares %v; want 2 with 100, %v", v.Best, v.BestRate, of, want)
	}
}

func TestNStarIsTheLeastWithinTwoPercent(t *testing.T) {
	for _, c := range []struct {
		fixed map[int][][2]float64
		want  int
	}{
		{map[int][][2]float64{1: twice(97.9), 8: twice(98), 16: twice(100)}, 8},
		{map[int][][2]float64{1: twice(98), 8: twice(10), 16: twice(100)}, 1},
		{map[int][][2]float64{64: twice(5)}, 64},
	} {
		if v, _ := shares(c.fixed, 1); v.NStar != c.want {
			t.Errorf("%v: N* %d, want %d", c.fixed, v.NStar, c.want)
		}
	}
}

// A number that is best by more than the noise is the yardstick, though the machine changes
// between the rounds and within them.
func TestYardstickIsTheBest(t *testing.T) {
	fixed := map[int][][2]float64{}
	for _, speed := range []float64{1, 10, 2} {
		fixed[2] = append(fixed[2], [2]float64{80 * speed, 120 * speed})
		fixed[4] = append(fixed[4], [2]float64{90 * speed, 135 * speed})
	}
	if _, of := shares(fixed, 112.5, 1125, 225); !slices.Equal(of, []float64{1, 1, 1}) {
		t.Errorf("shares %v, want all of the mean rate at 4", of)
	}
}

// An automatic limit that is exactly a fixed one gets 1.00 of it, and less of the luckiest of the
// round. Figures scatter by 5 % of a standard deviation, twelve numbers do equally well, and the
// machine is up to twice as fast in one round as in another.
func TestYardstickIsNotFlattered(t *testing.T) {
	const tallies = 1500
	r := rand.New(rand.NewPCG(1, 2))
	for _, rounds := range []int{1, 2, 5} {
		share, toLuckiest := 0.0, 0.0
		for range tallies {
			fixed := map[int][][2]float64{}
			var auto []float64
			for range rounds {
				machine := 1000 * (1 + r.Float64())
				noisy := func() float64 { return machine * math.Exp(0.05*r.NormFloat64()) }
				luckiest := 0.0
				for n := range 12 {
					x := [2]float64{noisy(), noisy()}
					fixed[1+n] = append(fixed[1+n], x)
					luckiest = max(luckiest, (x[0]+x[1])/2)
				}
				auto = append(auto, noisy())
				toLuckiest += auto[len(auto)-1] / luckiest / tallies / float64(rounds)
			}
			_, of := shares(fixed, auto...)
			for _, x := range of {
				share += x / tallies / float64(rounds)
			}
		}
		if math.Abs(share-1) > 0.006 || toLuckiest > 0.96 {
			t.Errorf("%d rounds: %.4f, want 1.00; %.4f of the luckiest, want less", rounds, share, toLuckiest)
		}
	}
}
