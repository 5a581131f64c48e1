package sweetspot

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

// A poolWorker is one call of a Pool's function. What others touch is guarded by
// the pool's mu, but for its span and gone.
type poolWorker[T any] struct {
	p    *Pool[T]
	wake chan struct{} // room for one word

	batch []T    // claimed; span says which of it are still to be done
	span  span   // the worker takes from it one by one, a look takes the rest
	last  uint64 // its span at the last look
	n     int    // values of its batch, 0 after they were accounted for

	on     bool // it is active
	scout  bool // it was woken to wait for a permit
	seated bool // it holds a permit
	since  time.Duration
	from   time.Duration // when its batch began
	pace   pace
	met    bool // it has asked for values
	given  bool // it was given some
	ended  bool // its range was ended

	gone atomic.Bool // its function has returned; a range that it kept gives nothing
}

const (
	// lingers is how often a worker without work yields before it parks, some
	// microseconds in all: waking it would take as long, and the submitter would
	// pay.
	lingers = 16
	// lookAfter is how often the pool looks for workers that are stuck in a long
	// value while others wait.
	lookAfter = 500 * time.Microsecond
)

var errNothingTaken = errors.New("sweetspot: Pool: the function returned without taking a value")

// unclaimed returns how many values lie ready. p.mu is held.
func (p *Pool[T]) unclaimed() int { return p.n + len(p.spilled) }

// summon calls a worker if one is needed for what has come in. p.mu is held.
func (p *Pool[T]) summon() {
	if p.lingering > 0 || p.stopped || p.unclaimed() == 0 {
		return
	}
	if p.active == 0 || p.cost == 0 || p.cost*float64(p.unclaimed()) >= float64(2*wakeCost) || p.cost >= float64(slowItem) {
		p.call(1)
	}
	p.arm()
}

// call brings up to k more workers, as the limit allows. p.mu is held.
func (p *Pool[T]) call(k int) {
	if p.limiter != nil {
		if !p.scouting && !p.stopped {
			p.scouting = true
			if p.quit.Err() != nil { // values came back after all had been claimed
				p.quit, p.dismiss = context.WithCancel(p.ctx.Context)
			}
			w := p.worker()
			w.scout = true
			w.wake <- struct{}{}
		}
		return
	}
	for ; k > 0 && p.active < p.bound(); k-- {
		w := p.worker()
		w.on = true
		p.active++
		w.wake <- struct{}{}
	}
}

// worker returns a worker that is parked, or a new one. p.mu is held.
func (p *Pool[T]) worker() *poolWorker[T] {
	if last := len(p.idle) - 1; last >= 0 {
		w := p.idle[last]
		p.idle = p.idle[:last]
		return w
	}
	w := &poolWorker[T]{p: p, wake: make(chan struct{}, 1)}
	p.workers = append(p.workers, w)
	p.running.Add(1)
	go w.run()
	return w
}

// run is the goroutine of a worker.
func (w *poolWorker[T]) run() {
	p := w.p
	returned := false
	var err error
	defer p.running.Done()
	defer func() {
		var value any
		if !returned {
			value = recover()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case value != nil:
			if p.panicked == nil {
				p.panicked = asPanic(value)
			}
			p.stop(p.panicked)
		case !returned:
			p.goexit = true
			p.stop(errors.New("a worker called runtime.Goexit"))
		case err != nil:
			p.stop(err)
		case !w.given && !w.ended:
			p.stop(errNothingTaken)
		}
		w.depart()
	}()
	err = p.body(&p.ctx, w.tasks)
	returned = true
}

// tasks is the range of a worker.
func (w *poolWorker[T]) tasks(yield func(T) bool) {
	for w.next() {
		for {
			i, _, ok := w.span.claim(1)
			if !ok {
				break
			}
			if !yield(w.batch[i]) {
				w.giveBack()
				return
			}
		}
	}
}

// next claims the next batch, and parks as long as there is none or the limit
// does not allow to work. It reports false when the range must end.
func (w *poolWorker[T]) next() bool {
	p := w.p
	if w.gone.Load() {
		return false
	}
	if !w.met {
		w.met = true
		<-w.wake
	}
	now := time.Since(p.began)
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.n > 0 {
		w.pace.see(w.n, now-w.from)
		p.cost = w.pace.cost
		p.adjust()
	}
	for patience := lingers; ; {
		if w.scout {
			w.takePermit()
		}
		if p.stopped {
			break
		}
		w.renew(now)
		switch {
		case !w.on:
		case w.claim(now):
			return true
		case patience > 0 && !p.closed:
			patience--
			p.lingering++
			p.mu.Unlock()
			runtime.Gosched()
			p.mu.Lock()
			p.lingering--
			continue
		}
		if p.closed && p.unclaimed() == 0 {
			break
		}
		w.rest()
		p.idle = append(p.idle, w)
		p.mu.Unlock()
		<-w.wake
		now = time.Since(p.began)
		p.mu.Lock()
		patience = lingers
	}
	w.ended = true
	w.rest()
	if p.closed && p.unclaimed() == 0 {
		p.sendHome()
	}
	return false
}

// takePermit waits for a permit. As long as values wait, one worker does: so the
// limit is known to hold somebody back, and a higher one is used at once. p.mu is
// held, but not while it waits.
func (w *poolWorker[T]) takePermit() {
	p, l := w.p, w.p.limiter
	w.scout = false
	quit := p.quit
	p.mu.Unlock()
	err := l.Acquire(quit)
	p.mu.Lock()
	p.scouting = false
	if err != nil {
		return
	}
	if p.stopped || p.unclaimed() == 0 {
		l.sem.Cancel()
		return
	}
	w.seated, w.on = true, true
	w.since = time.Since(p.began)
	p.active++
	p.room = max(p.room, p.active)
	p.admit()
	if p.unclaimed() > 1 {
		p.call(1)
	}
}

// renew tells the Limiter of the batch that has ended, and gives the permit back
// if the limit has fallen or it is the turn of others. p.mu is held.
func (w *poolWorker[T]) renew(now time.Duration) {
	p, l := w.p, w.p.limiter
	done := w.n
	w.n = 0
	if l == nil || !w.seated || done == 0 {
		return
	}
	l.ledger.enter(w.from+p.shift, now+p.shift)
	l.surplus.Add(int64(done - 1))
	if l != p.set.limiter || now-w.since < turn || !p.othersWait() {
		if l.sem.Renew() {
			return
		}
	} else {
		l.sem.Release()
	}
	w.seated = false
	w.rest()
	if p.unclaimed() > 0 {
		p.call(1)
	}
}

// othersWait reports whether somebody who is not of this pool waits for a permit.
// p.mu is held.
func (p *Pool[T]) othersWait() bool {
	waiting := p.limiter.sem.Counters().Waiting
	return waiting > 1 || waiting == 1 && !p.scouting
}

// rest makes w one who does not work. p.mu is held.
func (w *poolWorker[T]) rest() {
	if w.seated {
		w.p.limiter.sem.Cancel()
		w.seated = false
	}
	if w.on {
		w.on = false
		w.p.active--
	}
}

// claim takes a batch from the queue. p.mu is held.
func (w *poolWorker[T]) claim(now time.Duration) bool {
	p := w.p
	clear(w.batch)
	w.batch = w.batch[:0]
	all := p.unclaimed()
	if all == 0 {
		return false
	}
	k := min(max(w.pace.next(batchMost), p.set.grain), max((all+p.active-1)/p.active, p.set.grain), all)
	for len(w.batch) < k && len(p.spilled) > 0 {
		w.batch = append(w.batch, p.spilled[0])
		p.spilled = p.spilled[1:]
	}
	for m := min(k-len(w.batch), p.n); m > 0; m = min(k-len(w.batch), p.n) {
		part := p.ring[p.head:min(p.head+m, len(p.ring))]
		w.batch = append(w.batch, part...)
		clear(part)
		p.head = (p.head + len(part)) & (len(p.ring) - 1)
		p.n -= len(part)
	}
	p.claims++
	p.admit()
	w.n, w.from, w.given = k, now, true
	w.span.set(0, uint32(k))
	if p.unclaimed() > 0 {
		p.summon()
	} else if k > 1 {
		p.arm()
	}
	return true
}

// adjust makes the queue as large as the cost of a value asks for. p.mu is held.
func (p *Pool[T]) adjust() {
	crew := max(p.active, 1)
	if p.limiter == nil {
		crew = p.bound()
	}
	p.room = max(crew, min(int(float64(poolTime)*float64(crew)/p.cost), poolMost))
	p.admit()
}

// giveBack returns what w has claimed and not begun.
func (w *poolWorker[T]) giveBack() {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	w.leaveRest()
	p.summon()
}

// leaveRest puts what w has claimed and not begun back in front of the queue. p.mu is
// held.
func (w *poolWorker[T]) leaveRest() {
	if lo, hi, ok := w.span.split(true); ok {
		w.n -= int(hi - lo)
		w.p.spill(w.batch[lo:hi])
	}
}

// spill puts values back in front of the queue. p.mu is held.
func (p *Pool[T]) spill(values []T) {
	if !p.stopped {
		p.spilled = append(append([]T(nil), values...), p.spilled...)
	}
}

// depart takes w off the pool. p.mu is held.
func (w *poolWorker[T]) depart() {
	p := w.p
	w.gone.Store(true)
	w.leaveRest() // of a range that is still under way, by iter.Pull
	select {
	case <-w.wake: // it never asked for values
		if w.scout {
			p.scouting = false
		}
	default:
	}
	if l := p.limiter; w.seated && w.n > 0 && !p.stopped {
		l.sem.Release()
		w.seated = false
	}
	w.rest()
	for i, v := range p.workers {
		if v == w {
			last := len(p.workers) - 1
			p.workers[i] = p.workers[last]
			p.workers[last] = nil
			p.workers = p.workers[:last]
			break
		}
	}
	if p.unclaimed() > 0 {
		p.call(1)
	} else if p.closed {
		p.sendHome()
	}
}
