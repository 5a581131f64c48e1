package sweetspot

import (
	"runtime"
	"time"
)

// arm sees to it that the pool looks after its workers. p.mu is held.
func (p *Pool[T]) arm() {
	if p.armed {
		return
	}
	p.armed = true
	p.seen = p.claims
	if p.timer == nil {
		p.timer = time.AfterFunc(lookAfter, p.look)
	} else {
		p.timer.Reset(lookAfter)
	}
}

// look is what the timer does while there are values that nobody has begun.
func (p *Pool[T]) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = false
	if p.stopped {
		return
	}
	behind := false // somebody has more than he is at
	for _, w := range p.workers {
		word := w.span.word.Load()
		if lo, hi := w.span.bounds(); lo < hi && word == w.last {
			w.leaveRest()
		} else {
			behind = behind || lo < hi
		}
		w.last = word
	}
	now := time.Since(p.began)
	if p.unclaimed() == 0 {
		p.backlog = 0
		if behind {
			p.arm()
		}
		return
	}
	if p.backlog == 0 {
		p.backlog = now
	}
	if p.limiter == nil && p.set.fixed == 0 && now-p.backlog >= governAfter && p.active >= p.bound() {
		p.govern(now)
	}
	if p.seen == p.claims || p.limiter != nil {
		p.call(p.unclaimed())
	}
	p.arm()
}

// govern puts a Limiter of its own over the pool. p.mu is held.
func (p *Pool[T]) govern(now time.Duration) {
	p.limiter = New(Start(max(p.active, runtime.GOMAXPROCS(0), p.recall.limit)))
	p.shift = p.began.Sub(p.limiter.epoch)
	for _, w := range p.workers {
		if w.on && p.limiter.TryAcquire() {
			w.seated, w.since = true, now
		}
	}
}
