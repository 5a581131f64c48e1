package slots

// Taken returns how many slots are taken.
func (s *Slots) Taken() int { return int(taken(s.word.Load())) }
