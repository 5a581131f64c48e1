package sweetspot

import "sync"

// A store has the tables that a set will need: the one that was divided last, and
// some that it allocates at once, a tenth as many as there are. So a large set
// allocates seldom. Shards share a store.
type store[K comparable] struct {
	mu    sync.Mutex
	empty *table[K]
	fresh []table[K]
	made  int
}

// storeMost bounds the tables that are allocated at once: one allocation for more
// of them is not worth the memory that may never be used.
const storeMost = 1 << 6

// two returns two tables.
func (s *store[K]) two() (a, b *table[K]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, s.empty = s.empty, nil
	if a == nil {
		a = s.one()
	}
	return a, s.one()
}

func (s *store[K]) one() *table[K] {
	if len(s.fresh) == 0 {
		s.fresh = make([]table[K], min(1+s.made/10, storeMost))
		s.made += len(s.fresh)
	}
	t := &s.fresh[0]
	s.fresh = s.fresh[1:]
	return t
}

// back takes a table back, which it clears.
func (s *store[K]) back(t *table[K]) {
	clear(t[:])
	s.mu.Lock()
	s.empty = t
	s.mu.Unlock()
}
