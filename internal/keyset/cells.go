package keyset

import "math/bits"

// cells are a small set: open addressing with linear probing, from the place that the
// upper bits of the hash give.
type cells[K comparable] struct {
	places []cell[K] // a power of two
	n      int32
}

// A cell is a place of a small set, or a key on its way into a set.
type cell[K comparable] struct {
	hash uint64 // in a set, 0 marks a free place
	key  K
}

// used marks a hash as not 0. Two hashes that differ in this bit only are told apart by
// their keys.
const used = 1

func newCells[K comparable](places int) cells[K] {
	return cells[K]{places: make([]cell[K], places)}
}

// placesFor returns how many places cells need if their keys are one of many equal parts
// of a set, n on average: 4 standard deviations above the mean seldom occur.
func placesFor(n int) int {
	n += 4 << ((bits.Len(uint(n)) + 1) / 2) // the root of n, rounded up
	places := 8
	for places/8*7 <= n {
		places *= 2
	}
	return places
}

// each calls f for each key with its hash.
func (c *cells[K]) each(f func(uint64, K)) {
	for i := range c.places {
		if p := &c.places[i]; p.hash != 0 {
			f(p.hash, p.key)
		}
	}
}
