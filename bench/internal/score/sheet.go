package score

import (
	"maps"
	"slices"
)

// A Sheet holds the rates measured for one workload. The zero Sheet is empty.
type Sheet struct {
	fixed map[int][]entry
	auto  []entry
}

// An entry is one measurement of a round.
type entry struct {
	round  int
	rate   float64    // units per second
	limit  float64    // mean of the last third; the automatic one's only
	halves [2]float64 // that rate is the mean of; a fixed one's only
}

// Halves enters the rate of the fixed limit n in a round that measured it twice: the mean.
func (s *Sheet) Halves(round, n int, first, second float64) {
	if s.fixed == nil {
		s.fixed = make(map[int][]entry)
	}
	s.fixed[n] = append(s.fixed[n], entry{round: round, rate: (first + second) / 2, halves: [2]float64{first, second}})
}

// Auto enters the rate of the automatic limit over a whole run, and its mean
// limit in the last third of it.
func (s *Sheet) Auto(round int, rate, limit float64) {
	s.auto = append(s.auto, entry{round: round, rate: rate, limit: limit})
}

// BestOf returns the fixed limit with the highest rate of a round, the least
// of several, and 0 if the round has none.
func (s *Sheet) BestOf(round int) (n int, rate float64) {
	for _, m := range s.Limits() {
		for _, e := range s.fixed[m] {
			if e.round == round && (n == 0 || e.rate > rate) {
				n, rate = m, e.rate
			}
		}
	}
	return n, rate
}

// Limits returns the fixed limits measured, in ascending order.
func (s *Sheet) Limits() []int { return slices.Sorted(maps.Keys(s.fixed)) }

// Rates returns the rates of the fixed limit n, in the order entered.
func (s *Sheet) Rates(n int) []float64 { return rates(s.fixed[n]) }

// AutoRates returns the rates of the automatic limit, in the order entered.
func (s *Sheet) AutoRates() []float64 { return rates(s.auto) }

func rates(es []entry) []float64 {
	var xs []float64
	for _, e := range es {
		xs = append(xs, e.rate)
	}
	return xs
}
