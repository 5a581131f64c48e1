package keyset

import (
	"math/bits"
	"slices"
	"sync"
)

// A Sharded set is in parts, each with a lock of its own: the upper bits of the hash
// give the part. [Set.Share] makes one.
type Sharded[K comparable] struct{ shards [shards]shard[K] }

type shard[K comparable] struct {
	sync.Mutex
	index[K]
	// On 64-bit machines these are 128 bytes, the unit in which the hardware
	// fetches memory: no two shards are in the same (false sharing).
}

// newSharded returns a set of the keys of x, which must not be used any more, with room
// for hint keys as far as that is to be trusted. The shards follow it further.
func newSharded[K comparable](x *index[K], hint int) *Sharded[K] {
	s := new(Sharded[K])
	if x.alloc == nil {
		x.alloc = new(allocator[K])
	}
	for i := range s.shards {
		p := &s.shards[i]
		p.hash, p.skip, p.alloc, p.hint = x.hash, shardsBits, x.alloc, hint/shards
	}
	n := x.len()
	n = max(n, trusted(hint, n))
	if x.depth >= shardsBits && int(x.tables)*tableSize >= n {
		s.inherit(x)
		return s
	}
	each := n / shards
	for i := range s.shards {
		if places := placesFor(each); places < tableSize {
			s.shards[i].cells = newCells[K](places)
		} else {
			s.shards[i].makeTables(each)
		}
	}
	x.each(func(h uint64, k K) { s.of(h).insert(h, k) })
	return s
}

// of returns the shard of a key with the hash h.
func (s *Sharded[K]) of(h uint64) *shard[K] { return &s.shards[h>>(64-shardsBits)] }

// inherit takes over the tables of x, whose directory is at least as long as s.
func (s *Sharded[K]) inherit(x *index[K]) {
	overflow := x.overflow
	x.overflow = nil // else a split would look for places for them
	for at := range x.dir {
		for x.prefix[at] < shardsBits {
			x.split(at)
		}
	}
	each := len(x.dir) / shards
	for i := range s.shards {
		p := &s.shards[i]
		p.depth = x.depth - shardsBits
		p.dir = slices.Clone(x.dir[i*each : (i+1)*each])
		p.prefix = slices.Clone(x.prefix[i*each : (i+1)*each])
		for at := 0; at < each; at += 1 << (x.depth - p.prefix[at]) {
			p.tables++
		}
	}
	for k := range overflow {
		h := x.hash(k)
		s.of(h).insert(h, k)
	}
}

// Add adds k, whose hash is h, and reports whether it is new.
func (s *Sharded[K]) Add(h uint64, k K) bool {
	p := s.of(h)
	p.Lock()
	isNew := p.add(h, k)
	p.Unlock()
	return isNew
}

// AddFull is AddAll for the one batch of b to which a key with the hash h belongs.
func (s *Sharded[K]) AddFull(b *ShardBatches[K], h uint64, fresh []K) []K {
	return s.addShard(b, int(h>>(64-shardsBits)), fresh)
}

// AddAll adds the keys of b, which is empty afterwards, appends those that are new to
// fresh, and returns it.
func (s *Sharded[K]) AddAll(b *ShardBatches[K], fresh []K) []K {
	for b.some != 0 {
		fresh = s.addShard(b, bits.TrailingZeros64(b.some), fresh)
	}
	return fresh
}

func (s *Sharded[K]) addShard(b *ShardBatches[K], i int, fresh []K) []K {
	cells, p := b.take(i), &s.shards[i]
	p.Lock()
	for j := range cells {
		if c := &cells[j]; p.add(c.hash, c.key) {
			fresh = append(fresh, c.key)
		}
	}
	p.Unlock()
	return fresh
}

// AddBatch is AddAll of a batch that belongs to several shards. It takes no locks:
// nobody else may use the set meanwhile.
func (s *Sharded[K]) AddBatch(b *Batch[K], fresh []K) []K {
	for i := range b.cells[:b.n] {
		if c := &b.cells[i]; s.of(c.hash).add(c.hash, c.key) {
			fresh = append(fresh, c.key)
		}
	}
	b.n = 0
	return fresh
}
