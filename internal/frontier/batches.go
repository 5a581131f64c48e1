package frontier

import "github.com/sweetspot-go/sweetspot/internal/keyset"

// collect holds k back in the serial phase, until a batch is full.
func (p *walker[K]) collect(h uint64, k K) {
	if p.batch == nil {
		p.batch = new(keyset.Batch[K])
	}
	if p.batch.Put(h, k) {
		p.addBatch()
	}
}

// addBatch adds to the set what was collected; the new keys go onto the stack.
func (p *walker[K]) addBatch() {
	v := p.v
	switch {
	case p.batch == nil:
	case v.shared != nil:
		p.keys = v.shared.AddBatch(p.batch, p.keys)
	default:
		p.keys = v.set.AddBatch(p.batch, p.keys)
	}
}

// collectSharded holds k back in the shared phase, until the batch of its shard is
// full; then it adds the batch, and reports true.
func (p *walker[K]) collectSharded(h uint64, k K) bool {
	if p.batches == nil {
		p.makeBatches()
	}
	if !p.batches.Put(h, k) {
		return false
	}
	before := p.batches.Len()
	p.keys = p.v.shared.AddFull(p.batches, h, p.keys)
	p.added += before - p.batches.Len()
	return true
}

// makeBatches takes the batches of a walker that has left, or makes new ones.
func (p *walker[K]) makeBatches() {
	v := p.v
	v.queue.mu.Lock()
	if n := len(v.free); n > 0 {
		p.batches = v.free[n-1]
		v.free = v.free[:n-1]
	}
	v.queue.mu.Unlock()
	if p.batches == nil {
		p.batches = new(keyset.ShardBatches[K])
	}
}

// addBatches adds to the set all that was collected in the shared phase; the new keys
// go onto the stack.
func (p *walker[K]) addBatches() {
	if p.batches != nil {
		p.added += p.batches.Len()
		p.keys = p.v.shared.AddAll(p.batches, p.keys)
	}
}

// addHeldBack adds to the set all keys that were held back.
func (p *walker[K]) addHeldBack() {
	if p.mode == serial {
		p.addBatch()
	} else {
		p.addBatches()
	}
}
