package limit

import "time"

// Counters is the state of a [Semaphore] at one instant.
type Counters struct {
	Limit     int           // the limit in force
	InFlight  int           // permits out; more than Limit for a while after it was lowered
	Waiting   int           // callers waiting in Acquire
	Completed int64         // units ended by Release or Renew since New
	Queued    int64         // calls of Acquire that had to wait, since New
	Bound     time.Duration // time with waiting callers, since New
}

// Counters returns the state of s. All of it belongs to one instant, so for example
// InFlight + Completed never misses a unit that is being released. Completed, Queued
// and Bound never fall.
//
// Counters costs a mutex, and a clock reading while callers wait. It does not delay an
// Acquire or Release that finds a permit free and no waiters.
func (s *Semaphore) Counters() Counters {
	s.mustBeMade()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.word.Load()
	c := Counters{
		Limit:     s.Limit(),
		InFlight:  s.inFlight(w),
		Waiting:   s.queue.len,
		Completed: s.folded + int64(w>>completedShift),
		Queued:    s.queued,
		Bound:     s.bound,
	}
	if c.InFlight < 0 { // releases without an acquire, about to be undone
		c.Completed += int64(c.InFlight)
		c.InFlight = 0
	}
	if c.Waiting > 0 {
		c.Bound += time.Since(s.since)
	}
	return c
}
