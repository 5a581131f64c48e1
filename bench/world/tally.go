package main

import (
	"math"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A tally collects the rounds of one work.
type tally struct {
	work    work
	numbers []int // fixed, ascending
	sheets  [len(windows)]score.Sheet
	drifts  []float64
	refused []float64 // by the automatic limit
	others  []float64 // during all samples, as far as known
}

// round enters the samples of a round, counted from 0. The rate of a fixed number
// is the mean of its two samples.
func (t *tally) round(round int, samples []sample) {
	was, is := make(map[int]float64), make(map[int]float64)
	for _, s := range samples {
		if s.Others != nil {
			t.others = append(t.others, *s.Others)
		}
		switch s.Phase {
		case before:
			was[s.N] = s.Rate
		case after:
			is[s.N] = s.Rate
		case auto:
			t.refused = append(t.refused, s.Refused)
			for i := range t.sheets {
				t.sheets[i].Auto(round, s.Auto.Rates[i], s.Auto.Limit)
			}
		}
	}
	sum := 0.0
	for _, n := range t.numbers {
		sum += math.Log(is[n] / was[n])
		for i := range t.sheets {
			t.sheets[i].Halves(round, n, was[n], is[n])
		}
	}
	t.drifts = append(t.drifts, math.Exp(sum/float64(len(t.numbers))))
}

// A verdict compares the automatic limit with the fixed ones: medians over the
// rounds.
type verdict struct {
	Work     string                `json:"work"`
	About    string                `json:"about"`
	Fixed    []fixedRate           `json:"fixed"`
	Best     int                   `json:"best"`
	BestRate float64               `json:"best_rate"`
	NStar    int                   `json:"nstar"`
	Shares   [len(windows)]float64 `json:"shares"` // of the yardstick of the same round
	Rounds   [][]float64           `json:"rounds"` // the shares of each window, round by round
	Limit    float64               `json:"limit"`  // mean of the last third
	Drift    float64               `json:"drift"`  // rates after over rates before
	Refused  float64               `json:"refused"`
	Others   *float64              `json:"others"` // CPUs that processes other than ours used; null if unknown
	Chosen   score.Choice          `json:"chosen"` // how the best was for the shares
}

// A fixedRate is the rate of a fixed number and the spread of its rounds.
type fixedRate struct {
	N      int     `json:"n"`
	Rate   float64 `json:"rate"`
	Spread float64 `json:"spread"` // (largest - smallest) / median
}

// judge returns the verdict. There has to be a round.
func (t *tally) judge() verdict {
	v := verdict{Work: t.work.name, About: t.work.about, Drift: stats.Median(t.drifts), Refused: stats.Median(t.refused)}
	if len(t.others) > 0 {
		m := stats.Median(t.others)
		v.Others = &m
	}
	for i := range t.sheets {
		s := t.sheets[i].Judge()
		v.Best, v.BestRate, v.NStar, v.Chosen = s.Best, s.BestRate, s.Enough, s.Choice
		v.Shares[i], v.Limit = s.Ratio, s.LimitRatio*float64(s.Enough)
		v.Rounds = append(v.Rounds, s.Ratios)
	}
	for _, n := range t.numbers {
		rates := t.sheets[0].Rates(n)
		v.Fixed = append(v.Fixed, fixedRate{n, stats.Median(rates), stats.Spread(rates)})
	}
	return v
}
