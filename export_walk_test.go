package sweetspot

import (
	"hash/maphash"
	"unsafe"
)

// A Visited is the set of a Walk, alone and shared.
type Visited[K comparable] struct {
	small visited[K]
	large *sharded[K]
}

// NewVisited returns an empty set that expects hint keys.
func NewVisited[K comparable](hint int) *Visited[K] {
	seed := maphash.MakeSeed()
	return NewVisitedBy(hint, func(k K) uint64 { return hashOf(seed, k) })
}

// NewVisitedBy is NewVisited of keys with such hashes.
func NewVisitedBy[K comparable](hint int, hash func(K) uint64) *Visited[K] {
	v := new(Visited[K])
	v.small.hash = func(k K) uint64 { return hash(k) | used }
	v.small.hint = hint
	v.small.use(make([]cell[K], 4*smallWalk))
	return v
}

// Add adds k as a soloist does, and reports whether it is new.
func (v *Visited[K]) Add(k K) bool {
	h := v.small.hash(k)
	if v.large != nil {
		s := &v.large[shardOf(h)]
		s.Lock()
		defer s.Unlock()
		return s.add(h, k)
	}
	return v.small.add(h, k)
}

// Share divides the set into shards.
func (v *Visited[K]) Share() { v.large = newSharded(&v.small, v.small.hint) }

// Len returns how many places are taken, and how many there are.
func (v *Visited[K]) Len() (taken, size int) {
	tables := []*visited[K]{&v.small}
	if v.large != nil {
		tables = nil
		for i := range v.large {
			tables = append(tables, &v.large[i].visited)
		}
	}
	for _, t := range tables {
		size += len(t.small) + int(t.tables)*tableSize
		t.each(func(uint64, K) { taken++ })
	}
	return taken, size
}

// ShardSize is the size of a shard of strings.
const ShardSize = unsafe.Sizeof(shard[string]{})

// PlaceSize is the size of a place for an int64 in a table.
const PlaceSize = unsafe.Sizeof(table[int64]{}) / tableSize
