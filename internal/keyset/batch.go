package keyset

const (
	// batchSize is how many keys go into a set at once. The lock of a shard then
	// costs some 0.5 ns for each.
	batchSize = 64
	// shards is how many parts a Sharded set has. With batches, a worker has a
	// shard locked for some percent of its time at most, spread over all of them, so
	// two workers seldom want the same. One word has a bit for each.
	shards     = 1 << shardsBits
	shardsBits = 6 // the upper bits of the hash, which give the shard
)

// A Batch collects keys for a set that has one user.
type Batch[K comparable] struct {
	n     int
	cells [batchSize]cell[K]
}

// Put puts k, whose hash is h, into the batch, and reports whether the batch is full
// now. It must be added to a set then.
func (b *Batch[K]) Put(h uint64, k K) (full bool) {
	b.cells[b.n] = cell[K]{h, k}
	b.n++
	return b.n == len(b.cells)
}

// ShardBatches collect keys for a Sharded set, a batch for each shard.
type ShardBatches[K comparable] struct {
	some  uint64 // a bit for each shard whose batch is not empty
	total int
	n     [shards]int32
	cells [shards][batchSize]cell[K]
}

// Put puts k, whose hash is h, into the batch of its shard, and reports whether that is
// full now. It must be added to the set then, by AddFull.
func (b *ShardBatches[K]) Put(h uint64, k K) (full bool) {
	i := h >> (64 - shardsBits)
	n := b.n[i]
	b.cells[i][n] = cell[K]{h, k}
	b.n[i] = n + 1
	b.some |= 1 << i
	b.total++
	return n+1 == batchSize
}

// Len returns the number of keys in all batches.
func (b *ShardBatches[K]) Len() int { return b.total }

// take empties the batch of shard i and returns what was in it.
func (b *ShardBatches[K]) take(i int) []cell[K] {
	cells := b.cells[i][:b.n[i]]
	b.total -= len(cells)
	b.n[i] = 0
	b.some &^= 1 << i
	return cells
}
