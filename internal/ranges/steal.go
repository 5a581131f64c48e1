package ranges

import (
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// probes is how many workers a thief looks at at a time: it takes from the richest of them.
// With thousands of workers looking at all of them each time would be the bottleneck.
const probes = 8

// steal makes w the owner of numbers that nobody has owned, or else of half of what
// another worker owns.
func (s *Job) steal(w *call.Worker) (ok bool) {
	if s.Unclaimed.Load() <= 0 {
		return false
	}
	victims := s.Lock()
	defer s.Unlock()
	if s.extend(w) {
		return true
	}
	n := len(victims)
	for range n / (2 * probes) {
		if s.Unclaimed.Load() <= 0 { // thousands may have waited for the lock until then
			return false
		}
		from := rand.IntN(n) // elsewhere each time: those that have something stand side by side
		if stealFrom(w, victims[from:min(from+probes, n)]) {
			return true
		}
	}
	return stealFrom(w, victims)
}

// stealFrom takes from the richest of the victims. It reports false if none has anything:
// one that has just claimed all it had says nothing about the others.
func stealFrom(w *call.Worker, victims []*call.Worker) bool {
	for {
		var victim *call.Worker
		most := uint32(0)
		for _, v := range victims {
			if lo, hi := span(v).Bounds(); lo < hi && hi-lo > most {
				victim, most = v, hi-lo
			}
		}
		if victim == nil {
			return false
		}
		if lo, hi, ok := span(victim).Split(victim.Gone); ok {
			w.Base = victim.Base
			span(w).Set(lo, hi)
			return true
		}
	}
}
