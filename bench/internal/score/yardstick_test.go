package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

// mean returns the mean ratio of an automatic limit that is exactly the fixed limit 8, by
// sheets whose figures scatter by 5 % of a standard deviation, and what it would be to the
// best of the round. Twelve limits from 1 on do equally well; the machine is up to twice as
// fast in one round as in another.
func mean(t *testing.T, rounds int, halves bool, want score.Choice) (ratio, toBest float64) {
	const sheets = 1500
	r := rand.New(rand.NewPCG(1, 2))
	for range sheets {
		var s score.Sheet
		for round := range rounds {
			machine := 1000 * (1 + r.Float64())
			noisy := func() float64 { return machine * math.Exp(0.05*r.NormFloat64()) }
			for n := range 12 {
				if halves {
					s.Halves(round, 1+n, noisy(), noisy())
				} else {
					s.Fixed(round, 1+n, noisy())
				}
			}
			auto := noisy()
			s.Auto(round, auto, 8)
			_, best := s.BestOf(round)
			toBest += auto / best / sheets / float64(rounds)
		}
		v := s.Judge()
		if v.Choice != want || len(v.Ratios) != rounds {
			t.Fatalf("%d rounds: %v, chosen %q, want %q", rounds, v.Ratios, v.Choice, want)
		}
		for _, x := range v.Ratios {
			ratio += x / sheets / float64(rounds)
		}
	}
	return ratio, toBest
}

// An automatic limit that is exactly a fixed one gets 1.00 of it, and less of the luckiest
// of the round.
func TestYardstickIsNotFlattered(t *testing.T) {
	for _, c := range []struct {
		rounds int
		halves bool
		choice score.Choice
	}{{2, false, score.ByRounds}, {5, false, score.ByRounds}, {3, true, score.ByRounds}, {1, true, score.ByHalves}} {
		ratio, toBest := mean(t, c.rounds, c.halves, c.choice)
		if math.Abs(ratio-1) > 0.005 {
			t.Errorf("%+v: %.4f, want 1.00", c, ratio)
		}
		if toBest > 0.95 {
			t.Errorf("%+v: %.4f of the best of the round, which ought to be lucky", c, toBest)
		}
	}
}

// A limit that is best by more than the noise is the yardstick, though the machine changes
// between the rounds and within them.
func TestYardstickIsTheBest(t *testing.T) {
	var s score.Sheet
	for round, speed := range []float64{1, 10, 2} {
		s.Halves(round, 2, 80*speed, 120*speed)
		s.Halves(round, 4, 90*speed, 135*speed)
		if round != 1 { // it failed there
			s.Halves(round, 8, 60*speed, 90*speed)
		}
	}
	for round, want := range []float64{112.5, 1125, 225} {
		if rate, how := s.Yardstick(round); rate != want || how != score.ByRounds {
			t.Errorf("round %d: %v, %s; want %v", round, rate, how, want)
		}
	}
	if rate, _ := s.Yardstick(3); !math.IsNaN(rate) {
		t.Errorf("a round without fixed limits: %v", rate)
	}
}
