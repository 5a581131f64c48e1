package sweetspot

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

// A worker is one goroutine of a crew. Only its span is touched by others, and its turns
// by a body that kept its range.
type worker struct {
	c     *crew
	leads bool // it is the caller of the call
	down  bool // the lead, while it does not work but feeds others (see feed.go)
	guest bool // it works under a permit that an outer call holds
	seen  bool // it knows of the crew's Limiter
	// seated says that it holds a permit. A worker that has not seen the
	// Limiter has one as well if there is a Limiter: whoever put it in place
	// took a permit for each worker.
	seated bool
	since  time.Duration // when it got its permit

	pace  pace
	began time.Duration // when its chunk began
	n     int           // items in its chunk, 0 while it has none
	bad   int           // of those, failed
	much  int           // items that reported overload since the Limiter was last told
	done  int           // items in all chunks

	at   int     // in crew.workers, or nowhere; guarded by crew.mu
	gone bool    // guarded by crew.mu
	run  func()  // help, bound once; nil of the lead
	next *worker // in crew.rested or crew.parked; guarded by crew.mu
	// call has room for one word to a helper that waits: to come again, or to go. It is
	// nil before the helper has waited.
	call chan bool
	park bool // wait for that; the helper's own

	span  span          // what it owns of the items (see span.go)
	turns atomic.Uint32 // bodies of it that have returned, where a body has a range
}

const nowhere = -1

const (
	// wakeCost is what a helper must save to pay: some 0.1 ms pass until a parked
	// thread runs on a virtual machine, and waking it costs the waker some
	// microseconds.
	wakeCost = 100 * time.Microsecond
	// sure is how long a call must have worked before it believes that there is
	// much to do: a first item may be slow because it is the first.
	sure = 20 * time.Microsecond
	// calling is what there must be to do where work grows while it is done: help
	// called in vain costs some 50 µs, 5 % of that.
	calling = time.Millisecond
	// sharing is what it costs to share an item that brought forth others, ns:
	// locks, lines of memory that change the CPU, and mostly page faults, which
	// on a virtual machine took 4 µs when one thread had them and up to 18 when
	// two had them at the same time.
	sharing = 400
	// turn is how long a worker keeps a permit for which others wait, unless
	// its items take longer. Handing it over costs some microseconds.
	turn = time.Millisecond
)

// edge is called between chunks: it accounts for the chunk that has ended and
// reports whether the worker may claim another.
//
// It costs a clock reading and a few atomic loads, some 60 ns, for each chunk of
// some 64 µs; with a context that can be cancelled, some 10 ns more.
func (w *worker) edge() bool {
	now, ok := w.account()
	if ok && w.pace.cost > 0 {
		w.recruit(now)
	}
	return ok
}

// account is edge without recruiting. It also returns the time.
func (w *worker) account() (time.Duration, bool) {
	c := w.c
	now := w.began
	if w.n > 0 {
		now = c.clock()
		w.pace.see(w.n, now-w.began)
	}
	overloaded := w.tellOverload(w.n - w.bad)
	l := c.limiter.Load()
	if l != nil && !w.guest && !w.report(l, now, overloaded) {
		return now, false
	}
	w.done += w.n
	w.n, w.bad = 0, 0
	now = max(now, w.began) // later than now after a wait for a permit
	w.began = now
	if c.grows {
		c.beat.Add(1)
	}
	return now, !c.stopped.Load() && !c.cancelled()
}

// recruit starts a helper if the work left pays for it.
func (w *worker) recruit(now time.Duration) {
	c := w.c
	left := c.unclaimed.Load()
	if left <= 0 || now < sure && !c.grows {
		return
	}
	cost := w.pace.cost
	if c.grows && w.leads && w.done > 0 {
		// The mean, for a chunk in which the set of keys grew says little; and
		// what made the items that wait has cost something, too.
		cost = min(cost, float64(now)/float64(int64(w.done)+left))
	}
	c.cost.Store(int64(cost * 1000))
	worth := time.Duration(cost * float64(left))
	if c.grows && now >= time.Duration(c.patience.Load()) {
		// Nobody knows what will come of an item. As in all such cases, as much
		// is to be expected as has been.
		worth = max(worth, now/2)
	}
	least := 2 * wakeCost
	if c.grows && cost < float64(chunkTime) {
		least = calling // since what will come is a guess
	}
	if !c.shares() {
		return
	}
	if now < sure || worth < least {
		return
	}
	c.look()
	if !c.fullUp.Load() {
		c.hire(worth)
	}
}

// sharable reports whether items that bring forth others, and cost that much
// alone, ns, are done sooner together: with sharing on top of each, and a tenth
// lost to all else.
func sharable(cost float64) bool {
	return (cost+sharing)/float64(runtime.GOMAXPROCS(0)) < 0.9*cost
}

// tellOverload tells the Limiter which part of a chunk reported overload, beside done
// items, and reports whether any did.
func (w *worker) tellOverload(done int) bool {
	if w.much == 0 {
		return false
	}
	w.c.set.limiter.overloadedInPart(w.much, w.much+done)
	w.much = 0
	return true
}

// report tells the Limiter of the chunk that has ended at now, and reports
// whether the worker may go on. If it may not, it holds no permit any more.
func (w *worker) report(l *Limiter, now time.Duration, overloaded bool) bool {
	c := w.c
	if !w.seen {
		w.seen, w.seated = true, true
	}
	if w.n == 0 {
		return true
	}
	keep := l != c.set.limiter || now-w.since < turn || !c.othersWait(l)
	if done := w.n - w.bad; done > 0 {
		l.ledger.enter(w.began+c.shift, now+c.shift)
		l.surplus.Add(int64(done - 1))
		if keep && l.sem.Renew() {
			return true
		}
		if !keep {
			l.sem.Release()
		}
	} else {
		if !overloaded {
			l.ignored.Add(1)
		}
		if keep {
			return true
		}
		l.sem.Cancel()
	}
	w.seated = false
	return w.leads && w.reseat(l)
}

// reseat waits for a permit for the lead, who cannot leave. It reports false if
// there was nothing left to wait for.
func (w *worker) reseat(l *Limiter) bool {
	c := w.c
	c.mu.Lock()
	quit := c.waiting()
	c.mu.Unlock()
	if l.Acquire(quit) != nil {
		c.cancelled()
		return false
	}
	w.seated = true
	w.n = 0
	w.since = c.clock()
	w.began = w.since
	return true
}

// othersWait reports whether somebody who is not of this crew waits for a
// permit.
func (c *crew) othersWait(l *Limiter) bool {
	waiting := l.sem.Counters().Waiting
	if waiting == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.scouting || waiting > 1
}

// cancelled reports whether the caller's context is done, and fails the call if
// there was something left to do.
func (c *crew) cancelled() bool {
	ctx := c.ctx.Context
	if ctx.Err() == nil {
		return false
	}
	if c.unclaimed.Load() > 0 {
		c.fail(context.Cause(ctx))
	}
	return true
}

// failed takes note of the error of an item, and returns the error to end the
// call with, or nil if the call goes on.
func (w *worker) failed(index int, err error, all *itemErrors) error {
	if cause := w.blame(err); cause != nil {
		return cause
	}
	if w.c.set.joinErrors {
		w.bad++
		all.add(index, err)
		return nil
	}
	return &ItemError{index, err}
}

// blame takes note of what the error of an item says to the Limiter. It returns the
// cause of the caller's context if that is what has ended the item, or nil.
func (w *worker) blame(err error) error {
	c := w.c
	if l := c.set.limiter; l != nil && l.judge(err) == Overloaded {
		w.much++
	}
	if ctx := c.ctx.Context; ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return nil
}
