package score

import "math"

// A Choice says by what figures the fixed limit was chosen that the automatic one is
// compared with. The best of several noisy figures is also the luckiest: a limit that is
// chosen by the figure that it is then compared with is flattered, by about as much as
// one figure scatters.
type Choice int

// The choices, the better ones first.
const (
	ByRounds Choice = iota
	ByHalves
)

// MarshalText returns the choice in words.
func (c Choice) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

func (c Choice) String() string {
	return [...]string{
		"chosen in the other rounds",
		"chosen in each half of the round and compared in the other half",
	}[c]
}

// Yardstick returns the rate of a round that the automatic limit of the same round is
// compared with, and how the fixed limit that has it was chosen: in the other rounds, or,
// if there are none, in the other half of this one, the two halves in turn. The rate is NaN
// of a round without fixed limits.
func (s *Sheet) Yardstick(round int) (rate float64, how Choice) {
	if n := s.elsewhere(round); n > 0 {
		return s.entryOf(n, round).rate, ByRounds
	}
	n, m := s.bestHalf(round, 0), s.bestHalf(round, 1)
	if n == 0 {
		return math.NaN(), ByHalves
	}
	return (s.entryOf(n, round).halves[1] + s.entryOf(m, round).halves[0]) / 2, ByHalves
}

// elsewhere returns which of the fixed limits of a round is best in the other rounds, and
// 0 if there are none. A machine may be faster in one round than in another, so rates are
// taken as shares of the best of their round.
func (s *Sheet) elsewhere(round int) (best int) {
	most := 0.0
	for _, n := range s.Limits() {
		if s.entryOf(n, round) == nil {
			continue
		}
		sum, rounds := 0.0, 0
		for _, e := range s.fixed[n] {
			if _, x := s.BestOf(e.round); e.round != round && x > 0 {
				sum += e.rate / x
				rounds++
			}
		}
		if mean := sum / float64(rounds); mean > most { // no mean of none
			best, most = n, mean
		}
	}
	return best
}

// bestHalf returns the best of the fixed limits in one half of a round, and 0 if there is
// none.
func (s *Sheet) bestHalf(round, half int) (best int) {
	most := 0.0
	for _, n := range s.Limits() {
		if e := s.entryOf(n, round); e != nil && e.halves[half] > most {
			best, most = n, e.halves[half]
		}
	}
	return best
}

// entryOf returns what was entered for a fixed limit in a round, nil if nothing was.
func (s *Sheet) entryOf(n, round int) *entry {
	for i, e := range s.fixed[n] {
		if e.round == round {
			return &s.fixed[n][i]
		}
	}
	return nil
}
