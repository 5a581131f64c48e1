package score

import (
	"math"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// enough is the share of the best rate that the least sufficient limit
// must reach. Two per cent is about what one measurement of twenty seconds
// is worth on a quiet machine.
const enough = 0.98

// A Verdict compares the automatic limit with the fixed ones. What cannot be
// formed is NaN, and a limit 0.
type Verdict struct {
	Best     int     // the fixed limit with the highest median rate
	BestRate float64 // that rate
	Enough   int     // N*: the least fixed limit within 2 % of BestRate

	AutoRate float64 // median over the rounds
	// Ratios are, per round that has both, the automatic limit's rate over the
	// [Sheet.Yardstick] of the round.
	Ratios []float64
	Ratio  float64 // the median of Ratios
	Choice Choice  // how the yardsticks were chosen, the worst of the rounds

	LimitRatio float64 // median over the rounds of the mean limit of the last third over Enough
}

// Judge returns the verdict on what was entered so far.
func (s *Sheet) Judge() Verdict {
	v := Verdict{
		BestRate: math.NaN(), AutoRate: stats.Median(s.AutoRates()),
		Ratio: math.NaN(), LimitRatio: math.NaN(),
	}
	limits := s.Limits()
	for _, n := range limits {
		if x := stats.Median(s.Rates(n)); v.Best == 0 || x > v.BestRate {
			v.Best, v.BestRate = n, x
		}
	}
	if v.Best == 0 {
		return v
	}
	for _, n := range limits {
		if stats.Median(s.Rates(n)) >= enough*v.BestRate {
			v.Enough = n
			break
		}
	}
	var ended []float64
	for _, a := range s.auto {
		if rate, how := s.Yardstick(a.round); rate > 0 {
			v.Ratios = append(v.Ratios, a.rate/rate)
			v.Choice = max(v.Choice, how)
		}
		ended = append(ended, a.limit/float64(v.Enough))
	}
	v.Ratio, v.LimitRatio = stats.Median(v.Ratios), stats.Median(ended)
	return v
}
