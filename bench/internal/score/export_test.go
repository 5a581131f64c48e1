package score

// Fixed enters the rate of the fixed limit n in a round that measured it once.
func (s *Sheet) Fixed(round, n int, rate float64) {
	s.enter(n, entry{round: round, rate: rate})
}
