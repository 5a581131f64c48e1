package keyset

import "unsafe"

// Probe is a set whose hashes a test chooses, alone and then shared.
type Probe[K comparable] struct {
	set    Set[K]
	shared *Sharded[K]
	hash   func(K) uint64
}

// NewProbe returns an empty set that expects hint keys. Its hashes are those of a Set if
// hash is nil.
func NewProbe[K comparable](hint int, hash func(K) uint64) *Probe[K] {
	p := new(Probe[K])
	p.set.Init(hint)
	p.hash = p.set.Hash
	if hash != nil {
		p.hash = func(k K) uint64 { return hash(k) | used }
		p.set.index = newIndex(hint, p.hash)
	}
	return p
}

// Add adds k, and reports whether it is new.
func (p *Probe[K]) Add(k K) bool {
	if p.shared != nil {
		return p.shared.Add(p.hash(k), k)
	}
	return p.set.Add(p.hash(k), k)
}

// AddAll adds keys at once, and returns those that are new. If alone, nobody else uses
// the set meanwhile.
func (p *Probe[K]) AddAll(alone bool, keys ...K) (fresh []K) {
	if p.shared != nil && !alone {
		var b ShardBatches[K]
		for _, k := range keys {
			if h := p.hash(k); b.Put(h, k) {
				fresh = p.shared.AddFull(&b, h, fresh)
			}
		}
		return p.shared.AddAll(&b, fresh)
	}
	var b Batch[K]
	add := func() {
		if p.shared != nil {
			fresh = p.shared.AddBatch(&b, fresh)
		} else {
			fresh = p.set.AddBatch(&b, fresh)
		}
	}
	for _, k := range keys {
		if b.Put(p.hash(k), k) {
			add()
		}
	}
	add()
	return fresh
}

// Share divides the set into shards.
func (p *Probe[K]) Share() { p.shared = p.set.Share() }

// Len returns how many keys there are, and how many places for keys.
func (p *Probe[K]) Len() (keys, places int) {
	var all []*index[K]
	switch {
	case p.shared != nil:
		for i := range p.shared.shards {
			all = append(all, &p.shared.shards[i].index)
		}
	case p.set.index != nil:
		all = append(all, p.set.index)
	default:
		return p.set.n, len(p.set.first)
	}
	for _, x := range all {
		places += len(x.cells.places) + int(x.tables)*tableSize
		x.each(func(uint64, K) { keys++ })
	}
	return keys, places
}

// ShardSize is the size of a shard of strings.
const ShardSize = unsafe.Sizeof(shard[string]{})

// PlaceSize is the size of a place for an int64 in a table.
const PlaceSize = unsafe.Sizeof(table[int64]{}) / tableSize
