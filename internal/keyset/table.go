package keyset

import "math/bits"

// A table has groups of eight places. Its keys have the upper bits of the hash in
// common, their prefix; the bits below give the group.
type table[K comparable] struct {
	tags [groups]uint64 // of the places of a group, a byte each: 0 if free
	keys [tableSize]K
}

const (
	// tableSize is the number of places in a table. A split takes some
	// microseconds then, and the directory, which each key needs, remains in the
	// caches.
	tableSize = 8 * groups
	groups    = 1 << groupBits
	groupBits = 6

	lowBits  = 0x0101010101010101 // the lowest bit of each byte
	highBits = lowBits << 7
)

// group returns the group of a hash in a table with a prefix of so many bits. It is a
// method since what is not generic is not inlined in packages that use this one.
func (*table[K]) group(h uint64, prefix uint8) uint64 { return h << prefix >> (64 - groupBits) }

func (*table[K]) tag(h uint64) uint64 { return h>>1&0x7f | 0x80 }

// insert adds a key that is known to be new. There must be a place for it.
func (t *table[K]) insert(h uint64, k K, prefix uint8) {
	for g := t.group(h, prefix); ; g++ {
		p := &t.tags[g%groups]
		if free := ^*p & highBits; free != 0 {
			j := bits.TrailingZeros64(free) / 8
			*p |= t.tag(h) << (8 * j)
			t.keys[g%groups*8+uint64(j)] = k
			return
		}
	}
}

func (t *table[K]) each(f func(K)) {
	for g, tags := range t.tags {
		for m := tags & highBits; m != 0; m &= m - 1 {
			f(t.keys[g*8+bits.TrailingZeros64(m)/8])
		}
	}
}

func (t *table[K]) len() (n int) {
	for _, tags := range t.tags {
		n += bits.OnesCount64(tags & highBits)
	}
	return n
}
