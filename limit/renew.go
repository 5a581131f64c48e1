package limit

// Renew counts a unit of work as completed and keeps its permit for the next one. It is
// for a worker that goes from unit to unit. If more permits are out than the limit, it
// gives the permit back instead, as [Semaphore.Release] does, and returns false: the
// caller holds no permit any more.
//
// If several callers renew at the same time after the limit was lowered, exactly the
// surplus is sent away. Renewing takes precedence over waiting: a caller that always
// renews keeps its permit for good. If other callers wait for permits, release yours
// now and then.
//
// Renew panics if no permit is out, and leaves the state as it was. It never blocks for
// long and never allocates; it costs one atomic operation, even while others wait.
func (s *Semaphore) Renew() bool {
	for {
		c, w := s.ceiling.Load(), s.word.Load()
		// Waiters are no concern here: a permit that is kept, or given back
		// because there are too many out, is none that they could have.
		n := c - w&(attention&^waitersBit)
		if n == 0 || n > MaxLimit || (w+completedUnit)&fullBit != 0 {
			return s.renewSlow()
		}
		if next, kept := renewed(w); s.word.CompareAndSwap(w, next) {
			return kept
		}
	}
}

// renewed returns the word that follows w when one of its holders renews, and
// whether that one keeps its permit.
func renewed(w uint64) (next uint64, kept bool) {
	if available(w) < 0 {
		return w + finished, false
	}
	return w + completedUnit, true
}

// renewSlow is Renew where something has to be looked into.
func (s *Semaphore) renewSlow() bool {
	s.mustBeMade()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		w := s.word.Load()
		if s.inFlight(w) <= 0 {
			panic("limit: Renew without Acquire")
		}
		if next, kept := renewed(w); s.word.CompareAndSwap(w, next) {
			s.fold()
			return kept
		}
	}
}
