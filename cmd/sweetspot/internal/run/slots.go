package run

import (
	"math/bits"
	"sync"
)

// slots numbers the jobs that run at a time, from 1. A job gets the lowest free
// number, so the numbers stay small, and jobs that use theirs to choose a port,
// a GPU or a directory meet no other.
type slots struct {
	mu   sync.Mutex
	used []uint64 // one bit a slot
}

// take returns the lowest free slot and reserves it.
func (s *slots) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.used {
		if w != 1<<64-1 {
			n := bits.TrailingZeros64(^w)
			s.used[i] |= 1 << n
			return 64*i + n + 1
		}
	}
	s.used = append(s.used, 1)
	return 64*(len(s.used)-1) + 1
}

func (s *slots) give(slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[(slot-1)/64] &^= 1 << ((slot - 1) % 64)
}
