package sweetspot

import (
	"math/bits"
	"slices"
	"sync"
)

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
	// On 64-bit machines these are 128 bytes, which are fetched together: no two
	// workers want the same.
}

// shardOf returns the number of the shard of a key with the hash h.
func shardOf(h uint64) int { return int(h >> (64 - shardsBits)) }

// newSharded returns a set with the keys of v, which is empty afterwards, and room
// for size of them.
func newSharded[K comparable](v *visited[K], size int) *sharded[K] {
	s := new(sharded[K])
	if v.from == nil {
		v.from = new(store[K])
	}
	for i := range s {
		s[i].hash, s[i].skip, s[i].from = v.hash, shardsBits, v.from
	}
	if v.depth >= shardsBits && int(v.tables)*tableSize >= size {
		s.inherit(v)
		return s
	}
	each := max(v.len(), size) / shards
	for i := range s {
		if places := placesFor(each); places < tableSize {
			s[i].use(make([]cell[K], places))
		} else {
			s[i].spread(each)
		}
	}
	v.each(func(h uint64, k K) { s[shardOf(h)].take(h, k) })
	return s
}

// placesFor returns how many places a table for n keys has: chance puts 4 standard
// deviations more than the mean into few.
func placesFor(n int) int {
	n += 4 << ((bits.Len(uint(n)) + 1) / 2) // the root of n, rounded up
	places := 8
	for places/8*7 <= n {
		places *= 2
	}
	return places
}

// inherit takes the tables of v over. Its directory is at least as long as s.
func (s *sharded[K]) inherit(v *visited[K]) {
	beyond := v.beyond
	v.beyond = nil // else dividing would look for places for them
	for at := range v.dir {
		for v.common[at] < shardsBits {
			v.divide(at)
		}
	}
	each := len(v.dir) / shards
	for i := range s {
		p := &s[i]
		p.depth = v.depth - shardsBits
		p.dir = slices.Clone(v.dir[i*each : (i+1)*each])
		p.common = slices.Clone(v.common[i*each : (i+1)*each])
		for at := 0; at < each; at += 1 << (v.depth - p.common[at]) {
			p.tables++
		}
	}
	for k := range beyond {
		h := v.hash(k)
		s[shardOf(h)].add(h, k)
	}
}
