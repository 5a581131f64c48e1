package sweetspot

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

// A visited is a set of keys that only grows. A map would do, but each of its
// insertions moves others when it grows, hashes them again, and looks up twice;
// and it cannot be shared. This one costs a half of that.
//
// It is an open-addressing table with linear probing (Knuth, TAOCP 6.4) whose
// order is that of the hashes: the place of a key is given by the upper bits of
// its hash. The hash is kept beside the key, so that most comparisons need no
// look at the key, and growing reads one table and writes the other from front
// to back. A hash of 0 marks a free place.
type visited[K comparable] struct {
	cells []cell[K]
	skip  uint // upper bits of the hash that all keys here have in common
	shift uint // 64 - log2(len(cells))
	n     int
	most  int // n at which to grow
	hint  int // keys expected; see hintFrom
}

// hintFrom is the size from which a table believes a hint: a larger one made
// for nothing would cost more than those before it together.
const hintFrom = 1 << 14

// Up to cachedSize a table lies in a cache near the CPU, where looking at a few
// more places costs less than a larger table.
const cachedSize = 1 << 10

type cell[K comparable] struct {
	hash uint64
	key  K
}

// used marks a hash as not 0. Two hashes that differ in this bit only are told
// apart by their keys.
const used = 1

// hashOf returns the hash of k. It panics, as a map does, if k is an interface
// that holds a type that cannot be compared. Keys that differ from themselves,
// such as NaN, have another hash each time and are never found, as in a map.
func hashOf[K comparable](seed maphash.Seed, k K) uint64 {
	return maphash.Comparable(seed, k) | used
}

// use makes cells, whose number is a power of two, the empty table of v.
func (v *visited[K]) use(cells []cell[K]) {
	v.cells = cells
	v.shift = uint(64 - bits.TrailingZeros(uint(len(cells))))
	v.most = len(cells) / 4 * 3
	if len(cells) <= cachedSize {
		v.most = len(cells) / 8 * 7
	}
}

// add puts k, whose hash is h, into the set, and reports whether it is new.
func (v *visited[K]) add(h uint64, k K) bool {
	cells := v.cells
	mask := uint(len(cells) - 1)
	for i := uint(h<<v.skip>>v.shift) & mask; ; i = (i + 1) & mask {
		s := &cells[i]
		if s.hash == 0 {
			s.hash, s.key = h, k
			if v.n++; v.n >= v.most {
				v.enlarge()
			}
			return true
		}
		if s.hash == h && s.key == k {
			return false
		}
	}
}

// enlarge makes room for more keys.
func (v *visited[K]) enlarge() {
	switch size, all := len(v.cells), len(v.cells)<<v.skip; {
	case all >= hintFrom:
		v.grow(max(2*size, sizeFor(v.hint)))
	case all >= cachedSize || all < cachedSize/4:
		v.grow(4 * size) // saves moving the keys once more
	default:
		v.grow(2 * size) // for here the allocation is most of what a walk costs
	}
}

// grow moves the keys to a table of that size.
func (v *visited[K]) grow(size int) {
	old := v.cells
	v.use(make([]cell[K], size))
	for i := range old {
		if s := &old[i]; s.hash != 0 {
			v.move(s)
		}
	}
}

// move takes in a key that is known to be new, without counting it.
func (v *visited[K]) move(s *cell[K]) {
	mask := uint(len(v.cells) - 1)
	i := uint(s.hash<<v.skip>>v.shift) & mask
	for v.cells[i].hash != 0 {
		i = (i + 1) & mask
	}
	v.cells[i] = *s
}

// sizeFor returns the size of a table for n keys.
func sizeFor(n int) int {
	return max(1<<bits.Len(uint(n+n/3)), 8)
}

const (
	// shards is how many parts a shared set has. With batches, two workers
	// seldom want the same one: a worker has a shard locked for some percent of
	// its time at most, which is spread over all. One word has a bit for each.
	shards     = 1 << shardsBits
	shardsBits = 6
)

// A sharded is a visited in parts, each with a lock of its own: those keys that
// have the upper bits of the hash in common.
type sharded[K comparable] [shards]shard[K]

type shard[K comparable] struct {
	sync.Mutex
	visited[K]
	_ [128 - 80]byte // so that on 64-bit machines no two share the 128 bytes that are fetched together
}

// shardOf returns the number of the shard of a key with the hash h.
func shardOf(h uint64) int { return int(h >> (64 - shardsBits)) }

// newSharded returns a set with the keys of v and room for size of them.
func newSharded[K comparable](v *visited[K], size int) *sharded[K] {
	s := new(sharded[K])
	each := max(v.n, size) / shards
	// Shards differ by chance: 4 standard deviations more fit.
	room := sizeFor(each + 4*spread(each))
	for i := range s {
		s[i].skip = shardsBits
		s[i].use(make([]cell[K], room))
	}
	for i := range v.cells {
		if old := &v.cells[i]; old.hash != 0 {
			p := &s[shardOf(old.hash)]
			p.n++
			for p.n >= p.most {
				p.grow(2 * len(p.cells))
			}
			p.move(old)
		}
	}
	return s
}

// spread returns the standard deviation of the number of keys in a shard, the
// root of its mean n, rounded up to a power of two.
func spread(n int) int { return 1 << ((bits.Len(uint(n)) + 1) / 2) }
