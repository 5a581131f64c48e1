package frontier

import (
	"context"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// fewKeys is from how few keys on its stack a walker adds to the set what it holds back,
// at a chunk boundary: it may have to share soon.
const fewKeys = 256

// drain visits keys until there are none left for p, or the caller is to do nothing but
// give roots to others. It reports false if p must leave.
func (p *walker[K]) drain() bool {
	v, w := p.v, p.w
	visit, ctx := v.visit, v.call.Context()
	for {
		for len(p.keys) > p.base {
			if p.quota == 0 {
				if !p.boundary() {
					return false
				}
				if w.Aside {
					return true
				}
				continue
			}
			last := len(p.keys) - 1
			k := p.keys[last]
			p.keys = p.keys[:last]
			p.quota--
			w.Items++
			if err := visit(ctx, k, p.pushed); err != nil {
				if p.err = p.failed(k, err); p.err != nil {
					return false
				}
			}
		}
		if p.addHeldBack(); len(p.keys) > p.base {
			continue
		}
		if p.mode == serial && w.IsCaller {
			return true
		}
		if w.Items > 0 {
			// The chunk ends here: what follows is not visiting.
			p.quota = 0
			if _, ok := p.account(); !ok {
				p.leaving()
				return false
			}
		}
		if p.mode == serial || w.Aside {
			return true
		}
		v.queue.mu.Lock()
		ok := p.take()
		v.queue.mu.Unlock()
		if !ok {
			return true
		}
	}
}

// boundary ends a chunk and begins another. It reports false if p must leave.
func (p *walker[K]) boundary() bool {
	v, w := p.v, p.w
	moreRoots := w.IsCaller && !v.queue.closed
	switch {
	case p.mode == serial:
		p.addBatch()
		left := p.waiting() - 1 // what others could have
		if moreRoots {
			left++
		}
		v.queue.size.Store(int64(left))
	case p.slow() || p.mode == immediate:
		p.giveAll()
	default:
		if p.waiting() < fewKeys {
			p.addBatches()
		}
		p.giveHalf()
	}
	now, ok := p.account()
	if !ok {
		p.leaving()
		return false
	}
	if w.Aside {
		return true
	}
	p.recruit(now)
	p.quota = max(w.Sizer.Next(call.ChunkMost), v.call.Config.MinChunk)
	if p.mode == serial {
		if w.Began >= call.WakeCost {
			v.call.Watch()
		}
		if !v.wanted.Load() && !v.call.Accompanied() {
			return true
		}
		p.beginShared()
	}
	if moreRoots {
		p.rest() // now there may be others to visit them
		return true
	}
	p.resume()
	if p.mode == immediate {
		p.giveAll()
		p.spawn()
		v.queue.mu.Lock()
		p.take()
		v.queue.mu.Unlock()
		return true
	}
	if p.giveHalf() {
		p.spawn()
	}
	p.endShared()
	return true
}

// account accounts for the chunk that ends now, and reports whether p may go on. In the
// shared phase a caller that loses its permit leaves its keys to others: while it
// waited for another permit, they could come to the end, and it would hold up the walk.
func (p *walker[K]) account() (now time.Duration, ok bool) {
	w := p.w
	if p.mode == serial {
		now, ok = w.Account()
	} else if now, ok = w.Settle(); !ok && w.Lost() {
		p.rest()
		ok = true
	}
	p.v.chunks.Add(1)
	return now, ok
}

// rest makes the caller wait, or give roots to others. It leaves them all keys.
func (p *walker[K]) rest() {
	v := p.v
	p.giveAll()
	p.mode = immediate
	v.queue.leave()
	v.call.StepAside()
	if v.queue.size.Load() > 0 {
		v.needHelper()
	}
}

// leaving fails the call if its ctx is done and there is something left.
func (p *walker[K]) leaving() {
	p.addHeldBack()
	c := p.v.call.Call
	ctx := c.Parent()
	if ctx.Err() != nil && (p.waiting() > 0 || p.v.queue.size.Load() > 0) {
		c.Fail(context.Cause(ctx))
	}
}

// failed takes note of the error of the visit of k, and returns the error to end
// the walk with, or nil if it goes on.
func (p *walker[K]) failed(k K, err error) error {
	if cause := p.w.Blame(err); cause != nil {
		return cause
	}
	e := p.v.toErr.KeyError(k, err)
	if p.v.allErrors {
		p.v.queue.mu.Lock()
		p.v.errs = append(p.v.errs, e)
		p.v.queue.mu.Unlock()
		return nil
	}
	return e
}
