package sweetspot

import "math/bits"

// Outboxes hold keys back until there are enough for a shard.
type outboxes[K comparable] struct {
	full  uint64 // a bit for each shard for which there are some
	total int
	n     [shards]int32
	items [shards][batch]cell[K]
}

// hold puts k into an outbox.
func (p *walker[K]) hold(h uint64, k K) {
	o := p.out
	if o == nil {
		o = p.outboxes()
	}
	i := shardOf(h)
	n := o.n[i]
	o.items[i][n] = cell[K]{h, k}
	o.n[i] = n + 1
	o.full |= 1 << i
	o.total++
	if n+1 == batch {
		p.send(i)
		if have := len(p.keys) - p.base; have >= 4*fewKeys && p.offer(have) {
			p.call()
		}
	} else if o.total >= p.room {
		p.giveAll()
		p.v.man()
		p.room = max(p.sent/8, promptly/8)
	}
}

func (p *walker[K]) outboxes() *outboxes[K] {
	v := p.v
	v.gate.Lock()
	if n := len(v.spare); n > 0 {
		p.out = v.spare[n-1]
		v.spare = v.spare[:n-1]
	}
	v.gate.Unlock()
	if p.out == nil {
		p.out = new(outboxes[K])
	}
	return p.out
}

// send puts the keys held back for shard i into the set; the new ones go onto
// the stack.
func (p *walker[K]) send(i int) {
	o, s := p.out, &p.v.large[i]
	s.Lock()
	for j := range o.items[i][:o.n[i]] {
		c := &o.items[i][j]
		if s.add(c.hash, c.key) {
			p.keys = append(p.keys, c.key)
		}
	}
	s.Unlock()
	p.sent += int(o.n[i])
	o.total -= int(o.n[i])
	o.n[i] = 0
	o.full &^= 1 << i
}

// sendAll does send for all shards.
func (p *walker[K]) sendAll() {
	if p.out == nil {
		return
	}
	for p.out.full != 0 {
		p.send(bits.TrailingZeros64(p.out.full))
	}
}
