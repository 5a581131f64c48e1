package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// enough is the share of the best rate that N* must reach. Two per cent is about what one
// measurement of twenty seconds is worth on a quiet machine.
const enough = 0.98

// How the fixed number was chosen that the automatic limit is compared with.
const (
	inRounds = "chosen in the other rounds"
	inHalves = "chosen in each half of the round and compared in the other half"
)

type tally struct {
	work    work
	numbers []int // fixed, ascending
	rounds  []rates
	refused []float64 // by the automatic limit
	others  []float64 // during all samples, as far as known
}

// rates are those of one round: of the fixed numbers before and after the automatic run, and
// of that.
type rates struct {
	halves [2]map[int]float64
	auto   *autoRun
}

func (t *tally) add(samples []sample) {
	r := rates{halves: [2]map[int]float64{{}, {}}}
	for _, s := range samples {
		if s.Others != nil {
			t.others = append(t.others, *s.Others)
		}
		switch s.Phase {
		case before:
			r.halves[0][s.N] = s.Rate
		case after:
			r.halves[1][s.N] = s.Rate
		case auto:
			r.auto = s.Auto
			t.refused = append(t.refused, s.Refused)
		}
	}
	t.rounds = append(t.rounds, r)
}

// of returns the rate of a fixed number: the mean of its two samples.
func (r rates) of(n int) float64 { return (r.halves[0][n] + r.halves[1][n]) / 2 }

// drift returns the rates after over the rates before.
func (r rates) drift(numbers []int) float64 {
	sum := 0.0
	for _, n := range numbers {
		sum += math.Log(r.halves[1][n] / r.halves[0][n])
	}
	return math.Exp(sum / float64(len(numbers)))
}

// best returns the number with the highest rate, the least of several.
func (t *tally) best(rate func(n int) float64) int {
	return slices.MaxFunc(t.numbers, func(a, b int) int { return cmp.Compare(rate(a), rate(b)) })
}

// yardstick returns the rate that the automatic limit of a round is compared with: that of
// the fixed number that is best in the other rounds or, if there are none, in the other half
// of this one, the two halves in turn. The best of several noisy figures is also the luckiest:
// a number that is chosen by the figure that it is then compared with is flattered, by about
// as much as one figure scatters. A machine may be faster in one round than in another, so
// rates are taken as shares of the best of their round.
func (t *tally) yardstick(round int) float64 {
	r := t.rounds[round]
	if len(t.rounds) == 1 {
		n := t.best(func(n int) float64 { return r.halves[0][n] })
		m := t.best(func(n int) float64 { return r.halves[1][n] })
		return (r.halves[1][n] + r.halves[0][m]) / 2
	}
	shares := make(map[int]float64)
	for i, other := range t.rounds {
		if i == round {
			continue
		}
		most := other.of(t.best(other.of))
		for _, n := range t.numbers {
			shares[n] += other.of(n) / most
		}
	}
	return r.of(t.best(func(n int) float64 { return shares[n] }))
}

// A verdict compares the automatic limit with the fixed ones: medians over the
// rounds.
type verdict struct {
	Work     string
	About    string
	Fixed    []fixedRate
	Best     int
	BestRate float64
	NStar    int
	Shares   [len(windows)]float64 // of the yardstick of the same round
	Rounds   [][]float64           // the shares of each window, round by round
	Limit    float64               // mean of the last third
	Drift    float64               // rates after over rates before
	Refused  float64
	Others   *float64 // CPUs that processes other than ours used; nil if unknown
	Chosen   string   // how the best was for the shares
}

// A fixedRate is the rate of a fixed number and the spread of its rounds.
type fixedRate struct {
	N      int
	Rate   float64
	Spread float64 // (largest - smallest) / median
}

// judge returns the verdict. There has to be a round.
func (t *tally) judge() verdict {
	v := verdict{Work: t.work.name, About: t.work.about, Refused: stats.Median(t.refused), Chosen: inRounds}
	if len(t.rounds) == 1 {
		v.Chosen = inHalves
	}
	if len(t.others) > 0 {
		v.Others = new(stats.Median(t.others))
	}
	for _, n := range t.numbers {
		var all []float64
		for _, r := range t.rounds {
			all = append(all, r.of(n))
		}
		v.Fixed = append(v.Fixed, fixedRate{n, stats.Median(all), stats.Spread(all)})
	}
	best := slices.MaxFunc(v.Fixed, func(a, b fixedRate) int { return cmp.Compare(a.Rate, b.Rate) })
	v.Best, v.BestRate = best.N, best.Rate
	v.NStar = v.Fixed[slices.IndexFunc(v.Fixed, func(f fixedRate) bool { return f.Rate >= enough*best.Rate })].N
	v.Rounds = make([][]float64, len(windows))
	var limits, drifts []float64
	for i, r := range t.rounds {
		yardstick := t.yardstick(i)
		for w, rate := range r.auto.Rates {
			v.Rounds[w] = append(v.Rounds[w], rate/yardstick)
		}
		limits = append(limits, r.auto.Limit)
		drifts = append(drifts, r.drift(t.numbers))
	}
	for w, shares := range v.Rounds {
		v.Shares[w] = stats.Median(shares)
	}
	v.Limit, v.Drift = stats.Median(limits), stats.Median(drifts)
	return v
}
