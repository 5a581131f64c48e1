package sweetspot

import (
	"math/bits"
	"sync"
)

// A table has groups of eight places.
type table[K comparable] struct {
	tags [groups]uint64 // of the places of a group, a byte each: 0 if free
	keys [tableSize]K
}

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
		a = s.one(1 + s.made/10)
	}
	return a, s.one(1 + s.made/10)
}

// next returns the first of n tables that are wanted.
func (s *store[K]) next(n int) *table[K] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.one(n)
}

// one returns a table, and if there is none allocates n.
func (s *store[K]) one(n int) *table[K] {
	if len(s.fresh) == 0 {
		s.fresh = make([]table[K], min(n, storeMost))
		s.made += len(s.fresh)
	}
	t := &s.fresh[0]
	s.fresh = s.fresh[1:]
	return t
}

// back takes a table back, which it clears.
func (s *store[K]) back(t *table[K]) {
	*t = table[K]{}
	s.mu.Lock()
	s.empty = t
	s.mu.Unlock()
}

// groupOf returns the group for a hash in a table whose keys have that many bits in
// common.
func groupOf(h uint64, common uint8) uint64 { return h << common >> (64 - groupBits) }

// tagOf returns what the tag of a place with a key of the hash h is.
func tagOf(h uint64) uint64 { return h>>1&0x7f | 0x80 }

// put takes in a key that is known to be new, and for which there is a place.
func (t *table[K]) put(h uint64, k K, common uint8) {
	for g := groupOf(h, common); ; g++ {
		p := &t.tags[g%groups]
		if free := ^*p & highs; free != 0 {
			j := bits.TrailingZeros64(free) / 8
			*p |= tagOf(h) << (8 * j)
			t.keys[g%groups*8+uint64(j)] = k
			return
		}
	}
}

// each calls f for each key.
func (t *table[K]) each(f func(K)) {
	for g, tags := range t.tags {
		for m := tags & highs; m != 0; m &= m - 1 {
			f(t.keys[g*8+bits.TrailingZeros64(m)/8])
		}
	}
}

// len returns the number of keys.
func (t *table[K]) len() (n int) {
	for _, tags := range t.tags {
		n += bits.OnesCount64(tags & highs)
	}
	return n
}
