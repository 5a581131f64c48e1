package pool

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/panics"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// A worker is one call of a pool's function. What others touch is guarded by
// Pool.mu, except its span.
type worker[T any] struct {
	p      *Pool[T]
	at     int           // in Pool.workers
	wakeup chan struct{} // room for one word

	batch []T         // claimed; span says which of it are still to be done
	span  ranges.Span // the worker takes from it one by one, a look takes the rest
	last  uint64      // its span at the last look
	n     int         // values of its batch, 0 after they were accounted for

	active      bool
	lingers     bool
	hasPermit   atomic.Bool
	permitSince time.Duration
	began       time.Duration // when its batch began
	sizer       call.Sizer
	met         bool // it has asked for values
	given       bool // it was given some
	ended       bool // its range was ended
	gone        bool // its function has returned; a range that it left gives nothing, also to those who wait in it
}

// lookAfter is how often the pool looks for workers that are stuck in a long
// value while others wait.
const lookAfter = 500 * time.Microsecond

var (
	errNothingTaken = errors.New("sweetspot: Pool: the function returned without taking a value")
	errExited       = errors.New("a worker called runtime.Goexit")
)

// summon calls a worker if one is needed for what has come in. p.mu is held.
func (p *Pool[T]) summon() {
	if p.lingering > 0 || p.stopped || p.queue.len() == 0 {
		return
	}
	if p.active == 0 || p.cost == 0 || p.cost*float64(p.queue.len()) >= float64(2*call.WakeCost) || p.cost >= float64(call.ChunkTime) {
		p.call(1)
	}
	p.arm()
}

// call brings up to k more workers, as the limit allows. p.mu is held.
func (p *Pool[T]) call(k int) {
	if p.limiter != nil {
		if p.stopped || p.waiter != nil || p.starter != nil && len(p.idle) == 0 {
			return
		}
		if p.quit.Err() != nil { // values came back after all had been claimed
			p.quit, p.dismiss = context.WithCancel(p.ctx.Context)
		}
		w := p.worker()
		if w.met {
			p.waiter = w
		} else {
			p.starter = w // its setup may take long: those who are parked go on meanwhile
		}
		w.wakeup <- struct{}{}
		return
	}
	for ; k > 0 && p.active < p.bound(); k-- {
		w := p.worker()
		w.active = true
		p.active++
		w.wakeup <- struct{}{}
	}
}

// worker returns a worker that is parked, or a new one. p.mu is held.
func (p *Pool[T]) worker() *worker[T] {
	if last := len(p.idle) - 1; last >= 0 {
		w := p.idle[last]
		p.idle[last] = nil
		p.idle = p.idle[:last]
		return w
	}
	w := &worker[T]{p: p, wakeup: make(chan struct{}, 1), at: len(p.workers)}
	p.workers = append(p.workers, w)
	p.running.Add(1)
	go w.run()
	return w
}

// run is the goroutine of a worker.
func (w *worker[T]) run() {
	p := w.p
	returned := false
	var err error
	defer p.running.Done()
	defer func() {
		var failure panics.Failure
		if !returned {
			failure = panics.Caught(recover(), p.cfg.Wrap)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case !returned:
			p.threw(failure)
		case err != nil:
			if errors.Is(err, p.ctx.Context.Err()) {
				p.heed()
			}
			p.stop(err)
		case !w.given && !w.ended:
			p.heed()
			p.stop(errNothingTaken)
		}
		w.depart()
	}()
	err = p.body(call.WorkerContext{Context: &p.ctx, HasPermit: &w.hasPermit}, w.tasks)
	returned = true
}

// threw takes note of a panic or a Goexit of a worker. p.mu is held.
func (p *Pool[T]) threw(f panics.Failure) {
	p.failure.Join(f)
	err, ok := f.Value().(error)
	if !ok {
		err = errExited
	}
	p.stop(err)
}

// tasks is the range of a worker.
func (w *worker[T]) tasks(yield func(T) bool) {
	for w.next() {
		for {
			i, _, ok := w.span.Claim(1)
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
func (w *worker[T]) next() bool {
	p := w.p
	now := time.Since(p.began)
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.gone {
		return false
	}
	if !w.met {
		w.met = true
		<-w.wakeup // the word that it was started with
		if p.starter == w {
			p.starter = nil
			if p.waiter == nil {
				p.waiter = w
			}
		}
	}
	w.leaveRest()  // of a range that ended by a panic which the function recovered
	clear(w.batch) // or it would keep what was done
	if w.n > 0 {
		w.sizer.See(w.n, now-w.began)
		p.cost = w.sizer.Cost
		p.adjust()
	}
	for patience := call.Yields; ; {
		if p.waiter == w {
			w.takePermit()
		}
		if p.stopped || w.gone {
			break
		}
		w.renew(now)
		switch {
		case !w.active:
		case w.claim(now):
			return true
		case patience > 0 && !p.closed:
			patience--
			w.linger(true)
			p.mu.Unlock()
			runtime.Gosched()
			p.mu.Lock()
			w.linger(false)
			continue
		}
		if p.closed && p.queue.len() == 0 {
			break
		}
		w.rest()
		p.idle = append(p.idle, w)
		p.mu.Unlock()
		<-w.wakeup
		now = time.Since(p.began)
		p.mu.Lock()
		patience = call.Yields
	}
	w.ended = true
	w.rest()
	if p.closed && p.queue.len() == 0 {
		p.sendHome()
	}
	return false
}

// takePermit waits for a permit. As long as values wait, one worker does: so the
// limit is known to hold somebody back, and a higher one is used at once. p.mu is
// held, but not while it waits.
func (w *worker[T]) takePermit() {
	p, l := w.p, w.p.limiter
	quit := p.quit
	p.mu.Unlock()
	err := l.Acquire(quit)
	p.mu.Lock()
	if p.waiter == w {
		p.waiter = nil
	}
	if err != nil {
		return
	}
	if p.stopped || w.gone || p.queue.len() == 0 {
		l.Cancel()
		return
	}
	w.hasPermit.Store(true)
	w.active = true
	w.permitSince = time.Since(p.began)
	p.active++
	p.queue.room = max(p.queue.room, p.active)
	p.queue.admit()
	if p.queue.len() > 1 {
		p.call(1)
	}
}

// renew tells the limiter of the batch that has ended, and gives the permit back
// if the limit has fallen or it is the turn of others. p.mu is held.
func (w *worker[T]) renew(now time.Duration) {
	p, l := w.p, w.p.limiter
	if l == nil || !w.hasPermit.Load() || w.n == 0 {
		w.n = 0
		return
	}
	if call.Renew(l, w.takeChunk(now), l == p.cfg.Limiter, now-w.permitSince, func() bool { return p.waiter != nil }) {
		return
	}
	w.hasPermit.Store(false)
	w.rest()
	if p.queue.len() > 0 {
		p.call(1)
	}
}

// takeChunk returns the batch that has ended at now, which is then accounted for.
func (w *worker[T]) takeChunk(now time.Duration) loop.Chunk {
	ch := loop.Chunk{Done: w.n, Began: w.began + w.p.shift, Ended: now + w.p.shift, Nested: w.p.ctx.Nested()}
	w.n = 0
	return ch
}

// linger makes w one who looks for work, or not. p.mu is held.
func (w *worker[T]) linger(on bool) {
	switch {
	case on && !w.lingers:
		w.p.lingering++
	case !on && w.lingers:
		w.p.lingering--
	}
	w.lingers = on
}

// rest makes w one who does not work. p.mu is held.
func (w *worker[T]) rest() {
	if w.hasPermit.Load() {
		w.p.limiter.Cancel()
		w.hasPermit.Store(false)
	}
	if w.active {
		w.active = false
		w.p.active--
	}
}

// claim takes a batch from the queue. p.mu is held.
func (w *worker[T]) claim(now time.Duration) bool {
	p := w.p
	all := p.queue.len()
	if all == 0 {
		return false
	}
	k := min(max(w.sizer.Next(call.BatchMost), p.cfg.MinChunk), max((all+p.active-1)/p.active, p.cfg.MinChunk), all)
	w.batch = p.queue.take(w.batch[:0], k)
	p.watch.claims++
	p.queue.admit()
	w.n, w.began, w.given = k, now, true
	w.span.Set(0, uint32(k))
	if p.queue.len() > 0 {
		p.summon()
	} else if k > 1 {
		p.arm()
	}
	return true
}

// adjust makes the queue as large as the cost of a value asks for. p.mu is held.
func (p *Pool[T]) adjust() {
	size := max(p.active, 1)
	if p.limiter == nil {
		size = p.bound()
	}
	p.queue.room = max(size, min(int(float64(roomTime)*float64(size)/p.cost), roomMost))
	p.queue.admit()
}

// giveBack returns what w has claimed and not begun.
func (w *worker[T]) giveBack() {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	w.leaveRest()
	clear(w.batch)
	p.summon()
}

// leaveRest puts what w has claimed and not begun back in front of the queue, or drops it
// after the pool has stopped. p.mu is held.
func (w *worker[T]) leaveRest() {
	if lo, hi, ok := w.span.Split(true); ok {
		w.n -= int(hi - lo)
		if !w.p.stopped {
			w.p.queue.putBack(w.batch[lo:hi])
		}
		clear(w.batch[lo:hi])
	}
}

// depart takes w off the pool. p.mu is held.
func (w *worker[T]) depart() {
	p := w.p
	w.gone = true
	w.leaveRest() // of a range that is still under way, by iter.Pull or in another goroutine
	// That goroutine may also look for work, or wait for a permit, which it gives back, or be parked. Nobody is
	// to count on it.
	w.linger(false)
	if p.waiter == w {
		p.waiter = nil
	}
	if i := slices.Index(p.idle, w); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		w.wakeup <- struct{}{}
	}
	if l := p.limiter; w.hasPermit.Load() && w.n > 0 && !p.stopped {
		l.Finish(w.takeChunk(time.Since(p.began)), false)
		w.hasPermit.Store(false)
	}
	w.rest()
	last := len(p.workers) - 1
	p.workers[w.at] = p.workers[last]
	p.workers[w.at].at = w.at
	p.workers[last] = nil
	p.workers = p.workers[:last]
	if p.queue.len() > 0 {
		p.call(1)
	} else if p.closed {
		p.sendHome()
	}
}
