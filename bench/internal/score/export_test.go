package score

// Fixed enters the rate of the fixed limit n in a round that measured it alike twice.
func (s *Sheet) Fixed(round, n int, rate float64) {
	s.Halves(round, n, rate, rate)
}
