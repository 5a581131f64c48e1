package keyset

import "hash/maphash"

// A Set is a set of keys for one goroutine at a time. Init prepares it.
//
// Two keys are the same if they are the same to a map: a key that differs from
// itself, such as NaN, is new each time.
type Set[K comparable] struct {
	seed  maphash.Seed
	hint  int
	n     int       // keys in first, while there is no index
	index *index[K] // holds all keys, once it is there
	first [firstKeys]K
}

// firstKeys is how many keys a Set has space for in itself. To compare a key with all
// of them takes some nanoseconds, as long as to look it up by its hash.
const firstKeys = 8

// Init prepares an empty set for about hint keys, 0 if their number is unknown.
func (s *Set[K]) Init(hint int) { s.seed, s.hint = maphash.MakeSeed(), hint }

// Hash returns the hash of k for this set, and for what Share makes of it. It panics,
// as a map does, if k is an interface that holds a type that cannot be compared.
func (s *Set[K]) Hash(k K) uint64 { return hashOf(s.seed, k) }

func hashOf[K comparable](seed maphash.Seed, k K) uint64 {
	return maphash.Comparable(seed, k) | used
}

// Add adds k, whose hash is h, and reports whether it is new.
func (s *Set[K]) Add(h uint64, k K) bool {
	if x := s.index; x != nil {
		if x.dir == nil {
			return x.addCell(h, k)
		}
		return x.add(h, k)
	}
	for i := range s.n {
		if s.first[i] == k {
			return false
		}
	}
	if s.n == len(s.first) {
		s.makeIndex()
		return s.index.add(h, k)
	}
	s.first[s.n] = k
	s.n++
	return true
}

// Large reports whether a Batch saves time.
func (s *Set[K]) Large() bool { return s.index != nil && s.index.dir != nil }

// AddBatch adds the keys of b, which is empty afterwards, appends those that are new to
// fresh, and returns it.
func (s *Set[K]) AddBatch(b *Batch[K], fresh []K) []K {
	if s.index == nil {
		s.makeIndex()
	}
	x, cells := s.index, b.cells[:b.n]
	for i := range cells {
		if c := &cells[i]; x.add(c.hash, c.key) {
			fresh = append(fresh, c.key)
		}
	}
	b.n = 0
	return fresh
}

// Share returns a set of the same keys for many goroutines. s must not be used any
// more, except for its Hash.
func (s *Set[K]) Share() *Sharded[K] {
	if s.index == nil {
		s.makeIndex()
	}
	x := s.index
	s.index = nil
	return newSharded(x, s.hint)
}

func (s *Set[K]) makeIndex() {
	seed := s.seed
	s.index = newIndex(s.hint, func(k K) uint64 { return hashOf(seed, k) })
	for _, k := range s.first[:s.n] {
		s.index.add(hashOf(seed, k), k)
	}
}
