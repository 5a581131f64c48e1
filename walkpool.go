package sweetspot

import "time"

// The pool of a walk holds the keys that nobody has on a stack. Walkers give to
// it what they have too much of, the oldest first, and take from it what they
// visit next.

// offer gives the older part of the have keys of the stack to the pool, if that
// has less than half as many. The oldest keys lead to the most, for they are the
// nearest to the roots. It reports whether it did.
func (p *walker[K]) offer(have int) bool {
	if have < 2 || p.v.unclaimed.Load() >= int64(have/2) {
		return false
	}
	p.give(have / 2)
	return true
}

// giveAll leaves nothing on the stack.
func (p *walker[K]) giveAll() {
	p.sendAll()
	p.give(len(p.keys) - p.base)
}

// give moves the n oldest keys of the stack to the pool.
func (p *walker[K]) give(n int) {
	v := p.v
	if n == 0 {
		return
	}
	v.gate.Lock()
	v.pool = append(v.pool, p.keys[p.base:p.base+n]...)
	v.unclaimed.Store(int64(len(v.pool) - v.head))
	v.changed()
	v.gate.Unlock()
	p.base += n
	switch left := len(p.keys) - p.base; {
	case left == 0:
		p.keys, p.base = p.keys[:0], 0
	case p.base > left:
		p.keys = p.keys[:copy(p.keys, p.keys[p.base:])]
		p.base = 0
	}
}

// call calls for a helper if what is in the pool pays for it, or if nobody is
// there while we feed.
func (p *walker[K]) call() {
	v := p.v
	if v.fullUp.Load() {
		return
	}
	switch {
	case p.w.down || p.slow():
		v.mu.Lock()
		v.enlist()
		v.mu.Unlock()
	case p.mode == eager:
		v.man() // this visit is long: nobody else would do it
	default:
		v.hire(time.Duration(float64(v.cost.Load()) / 1000 * float64(v.unclaimed.Load())))
	}
}

// take fills the stack from the pool and reports whether there was anything.
// v.gate is held, and p is busy.
func (p *walker[K]) take() bool {
	v := p.v
	have := len(v.pool) - v.head
	if have == 0 {
		return false
	}
	n := max(1, v.set.grain)
	if !p.slow() {
		n = max(n, have/v.busy)
	}
	n = min(n, have)
	p.keys = append(p.keys[:0], v.pool[v.head:v.head+n]...)
	p.base = 0
	v.head += n
	if have -= n; have == 0 {
		v.pool, v.head = v.pool[:0], 0
	} else if v.head > have {
		v.pool = v.pool[:copy(v.pool, v.pool[v.head:])]
		v.head = 0
	}
	v.unclaimed.Store(int64(have))
	if have < v.low {
		v.changed()
	}
	return true
}
