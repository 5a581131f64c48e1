package sweetspot

import (
	"context"
	"time"
)

// A walker is one worker of a walk with its keys. Nobody else touches it.
type walker[K comparable] struct {
	v      *walk[K]
	w      *worker
	pushed func(K) // push, bound once
	mode   mode
	keys   []K // a stack; from base on
	base   int
	quota  int // visits until the next edge
	err    error
	in     *inbox[K]    // the soloist's
	out    *outboxes[K] // of those who share
	room   int          // keys to hold back in outboxes
	sent   int          // keys that have left them, or were pushed eagerly, in this visit
}

// A mode is what push does.
type mode uint8

const (
	alone    mode = iota // the set is ours
	batching             // keys are held back until there are enough to lock a shard for
	eager                // visits are slow: each key goes to the others at once
	over                 // the worker has left
)

const (
	// batch is how many keys a shard is locked for: the lock is then some 0.5 ns
	// of each.
	batch = 64
	// fewKeys is when a walker looks into its outboxes at an edge: it may have
	// to share soon.
	fewKeys = 256
	// companyWorth is how long there must be more than one at work to pay for
	// having called the others.
	companyWorth = 5 * wakeCost
	// promptly is how many keys of a visit that turns out to be long go to the
	// others one by one. Then up to an eighth of what went before is held back.
	promptly = 64
)

// push is what visit is given.
func (p *walker[K]) push(k K) {
	v := p.v
	if p.mode == over {
		panic("sweetspot: Walk: push was called after its visit had returned")
	}
	h := hashOf(v.seed, k)
	if p.mode == alone {
		if !v.wanted.Load() {
			if v.large != nil || v.small != nil && v.small.dir != nil {
				p.receive(h, k)
			} else if v.small != nil && v.small.add(h, k) || v.small == nil && v.addFew(h, k) {
				p.keys = append(p.keys, k)
			}
			return
		}
		// This visit is long, or somebody has come.
		v.open(p)
		p.mode, p.sent = eager, 0
		p.giveAll()
		v.man()
	}
	if p.mode == batching {
		p.hold(h, k)
		return
	}
	s := &v.large[shardOf(h)]
	s.Lock()
	isNew := s.add(h, k)
	s.Unlock()
	if isNew {
		p.keys = append(p.keys, k)
		p.giveAll()
		p.call()
	}
	if p.sent++; p.sent == promptly && !p.w.down && !p.slow() {
		p.mode, p.room = batching, promptly/8
	}
}

// slow reports whether visits take longer than a chunk should.
func (p *walker[K]) slow() bool { return p.w.pace.cost >= float64(chunkTime) }

// drain visits keys until there are none left for p, or the lead is to feed
// others. It reports false if p must leave.
func (p *walker[K]) drain() bool {
	v, w := p.v, p.w
	visit, ctx := v.visit, context.Context(&v.ctx)
	for {
		for len(p.keys) > p.base {
			if p.quota == 0 {
				if !p.edge() {
					return false
				}
				if w.down {
					return true
				}
				continue
			}
			last := len(p.keys) - 1
			k := p.keys[last]
			p.keys = p.keys[:last]
			p.quota--
			w.n++
			if err := visit(ctx, k, p.pushed); err != nil {
				if p.err = p.failed(k, err); p.err != nil {
					return false
				}
			}
		}
		if p.settleAll(); len(p.keys) > p.base {
			continue
		}
		if p.mode == alone && w.leads {
			return true
		}
		if w.n > 0 {
			// The chunk ends here; what we then do is not visiting.
			p.quota = 0
			if _, ok := w.account(); !ok {
				p.leaving()
				return false
			}
		}
		if p.mode == alone {
			return true
		}
		v.gate.Lock()
		ok := p.take()
		v.gate.Unlock()
		if !ok {
			return true
		}
	}
}

// edge ends a chunk and begins another. It reports false if p must leave.
func (p *walker[K]) edge() bool {
	v, w := p.v, p.w
	if p.mode == alone {
		p.admit()
	}
	have := len(p.keys) - p.base
	switch {
	case p.mode == alone:
		if w.leads && !v.rooted {
			have++ // there may be more roots
		}
		v.unclaimed.Store(int64(have - 1))
	case p.slow() || p.mode == eager:
		p.giveAll()
	default:
		if have < fewKeys {
			p.sendAll()
			have = len(p.keys) - p.base
		}
		p.offer(have)
	}
	if !w.edge() {
		p.leaving()
		return false
	}
	p.quota = max(w.pace.next(chunkMost), v.set.grain)
	if p.mode == alone {
		if w.began >= wakeCost {
			v.look()
		}
		if !v.wanted.Load() && !v.accompanied() {
			return true
		}
		v.open(p)
	}
	if w.leads && !v.rooted {
		p.rest() // there may be more roots, and now there may be others to do them
		return true
	}
	p.resume()
	if p.mode == eager {
		p.giveAll()
		p.call()
		v.gate.Lock()
		p.take()
		v.gate.Unlock()
		return true
	}
	if p.offer(len(p.keys) - p.base) {
		p.call()
	}
	p.settle()
	return true
}

// resume chooses the mode in which p shares.
func (p *walker[K]) resume() {
	p.mode, p.room, p.sent = batching, batch*shards, 0
	if p.slow() {
		p.mode = eager
	}
}

// settleAll finds out which of the keys held back are new.
func (p *walker[K]) settleAll() {
	if p.mode == alone {
		p.admit()
	} else {
		p.sendAll()
	}
}

// settle makes p the soloist again if nobody is there or on the way.
func (p *walker[K]) settle() {
	v := p.v
	if v.unclaimed.Load() > 0 || v.accompanied() {
		return
	}
	p.sendAll()
	v.gate.Lock()
	defer v.gate.Unlock()
	if v.busy == 1 && v.rooted && len(v.pool) == v.head {
		p.mode = alone
		v.solo = true
		v.wanted.Store(false)
		v.judge(p.w.began)
	}
}

// judge takes note at now of whether the company that has just ended paid. Where
// it did not, the next is put off, for a longer time each time. v.gate is held.
func (v *walk[K]) judge(now time.Duration) {
	if now-v.opened >= companyWorth {
		v.failed = 0
		return
	}
	v.failed = min(v.failed+1, 8)
	v.patience.Store(int64(now + chunkTime<<v.failed))
}

// accompanied reports whether there are helpers.
func (c *crew) accompanied() bool {
	if c.alone() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size > 1
}

// leaving fails the call if its ctx is done and there is something left.
func (p *walker[K]) leaving() {
	v := p.v
	p.settleAll()
	ctx := v.ctx.Context
	if ctx.Err() != nil && (len(p.keys) > p.base || v.unclaimed.Load() > 0) {
		v.fail(context.Cause(ctx))
	}
}

// guess makes sure that something is known for the next walk, also after one that
// was too short to have an edge.
func (p *walker[K]) guess() {
	v := p.v
	switch {
	case p.w.pace.cost > 0 || v.limiter.Load() != nil:
	case p.w.n > 0:
		p.w.account()
	default:
		p.w.pace.cost = v.recall.cost
	}
}

// failed takes note of the error of the visit of k, and returns the error to end
// the walk with, or nil if it goes on.
func (p *walker[K]) failed(k K, err error) error {
	if cause := p.w.blame(err); cause != nil {
		return cause
	}
	e := &KeyError[K]{k, err}
	if p.v.set.joinErrors {
		p.w.bad++
		p.v.errs.add(e)
		return nil
	}
	return e
}

// help is the work of a helper.
func (v *walk[K]) help(w *worker) error {
	v.gate.Lock()
	if v.solo {
		// There is nothing to do until the soloist shares, and that may take
		// long. So it does not wait; the soloist will call for somebody.
		v.wanted.Store(true)
		v.unclaimed.Store(0)
		v.gate.Unlock()
		return nil
	}
	if len(v.pool) == v.head {
		v.gate.Unlock()
		return nil
	}
	v.busy++
	p := &walker[K]{v: v, w: w}
	p.take()
	v.gate.Unlock()

	p.pushed = p.push
	p.resume()
	clean := false
	defer func() { p.retire(clean) }()
	if !p.drain() && p.err != nil {
		v.fail(p.err)
	}
	clean = true
	return nil
}

// retire gives back what p has.
func (p *walker[K]) retire(clean bool) {
	v := p.v
	switch {
	case !clean:
		v.stopped.Store(true)
	case p.mode == alone:
		v.open(p)
		fallthrough
	default:
		p.giveAll()
	}
	p.mode = over
	v.gate.Lock()
	v.busy--
	over := v.rooted && v.busy == 0 && len(v.pool) == v.head
	if p.out != nil && clean {
		v.spare = append(v.spare, p.out)
	}
	v.changed()
	v.gate.Unlock()
	if over {
		v.exhausted()
	}
}
