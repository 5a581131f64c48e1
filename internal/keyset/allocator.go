package keyset

import "sync"

// An allocator makes the tables of a set. It keeps the table that was split last for
// the next split, and allocates a tenth as many tables as there are at a time, so a
// large set allocates seldom. Shards have one in common.
type allocator[K comparable] struct {
	mu    sync.Mutex
	empty *table[K]
	fresh []table[K]
	made  int
}

// mostTables bounds the tables that are allocated at a time: to save further
// allocations is not worth the memory that may never be used.
const mostTables = 1 << 6

func (a *allocator[K]) two() (t, u *table[K]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, a.empty = a.empty, nil
	if t == nil {
		t = a.one(1 + a.made/10)
	}
	return t, a.one(1 + a.made/10)
}

// next returns the first of n tables that are needed.
func (a *allocator[K]) next(n int) *table[K] {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.one(n)
}

// one returns a table. If there is none, it allocates n. a.mu is held.
func (a *allocator[K]) one(n int) *table[K] {
	if len(a.fresh) == 0 {
		a.fresh = make([]table[K], min(n, mostTables))
		a.made += len(a.fresh)
	}
	t := &a.fresh[0]
	a.fresh = a.fresh[1:]
	return t
}

// back takes a table back, and clears it.
func (a *allocator[K]) back(t *table[K]) {
	*t = table[K]{}
	a.mu.Lock()
	a.empty = t
	a.mu.Unlock()
}
