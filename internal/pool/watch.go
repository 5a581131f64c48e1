package pool

import (
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// A watch looks after the workers of a pool while there are values that nobody has begun.
type watch struct {
	timer   *time.Timer
	armed   bool
	claims  int           // of batches, in all
	seen    int           // claims at the last look
	backlog time.Duration // since when each look has found values, 0 if the last did not
}

// arm sets the watch, unless it is set. p.mu is held.
func (p *Pool[T]) arm() {
	w := &p.watch
	if w.armed {
		return
	}
	w.armed = true
	w.seen = w.claims
	if w.timer == nil {
		w.timer = time.AfterFunc(lookAfter, p.look)
	} else {
		w.timer.Reset(lookAfter)
	}
}

func (p *Pool[T]) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch.armed = false
	if p.stopped {
		return
	}
	behind := false // a worker has more than it is at
	for _, w := range p.workers {
		word := w.span.Word()
		if lo, hi := w.span.Bounds(); lo < hi && word == w.last {
			w.leaveRest()
		} else {
			behind = behind || lo < hi
		}
		w.last = word
	}
	now := time.Since(p.began)
	if p.queue.len() == 0 {
		p.watch.backlog = 0
		if behind {
			p.arm()
		}
		return
	}
	if p.watch.backlog == 0 {
		p.watch.backlog = now
	}
	if p.limiter == nil && p.cfg.Fixed == 0 && now-p.watch.backlog >= call.GovernAfter && p.active >= p.bound() {
		p.govern(now)
	}
	if p.watch.seen == p.watch.claims || p.limiter != nil {
		p.call(p.queue.len())
	}
	p.arm()
}

// govern puts a limiter of its own over the pool. p.mu is held.
func (p *Pool[T]) govern(now time.Duration) {
	p.limiter = call.NewLimiter(p.active, p.history.Limit)
	p.shift = p.limiter.Clock() - time.Since(p.began)
	for _, w := range p.workers {
		if w.active {
			w.hasPermit.Store(true)
			w.permitSince = now
		}
	}
}
