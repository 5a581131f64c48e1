package run

import (
	"slices"
	"sync"
)

// slots numbers the jobs that run at a time, from 1. A job gets the lowest free
// number, so the numbers stay small, and jobs that use theirs to choose a port,
// a GPU or a directory meet no other.
type slots struct {
	mu   sync.Mutex
	used []bool
}

// take returns the lowest free slot and reserves it.
func (s *slots) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.used, false)
	if i < 0 {
		i, s.used = len(s.used), append(s.used, false)
	}
	s.used[i] = true
	return i + 1
}

func (s *slots) give(slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[slot-1] = false
}
