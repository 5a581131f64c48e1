package sweetspot

import "runtime"

// serve does items from the queue until it is empty, or the worker must leave.
func (e *feed[T]) serve(w *worker) error {
	var items []T
	defer func() { e.queue.leave(items) }()
	for {
		_, ok := w.account()
		if !ok {
			return nil
		}
		if w.pace.cost > 0 {
			e.cost.Store(max(1, int64(w.pace.cost*1000)))
		}
		k := max(w.pace.next(batchMost), e.set.grain)
		var first int
		items, first = e.claim(w, items[:0], k)
		if len(items) == 0 {
			return nil
		}
		w.n = len(items)
		if err := e.items.visit(w, first, items); err != nil {
			return err
		}
		clear(items)
	}
}

// claim is that of the queue, for a helper. One that finds nothing yields a few
// times before it gives up, for it costs more to call it again; it may be the lead
// who waits for this CPU. While the lead is about to come back to its source, it
// yields for as long as it takes to wake a thread.
func (e *feed[T]) claim(w *worker, batch []T, k int) (items []T, first int) {
	patience := lingers
	for looks := 0; ; looks++ {
		items, first = e.queue.claim(batch, k, int(e.manned.Load())+1, e.set.grain)
		if e.thirst.Load() && e.thirst.CompareAndSwap(true, false) {
			notify(e.relief)
		}
		if len(items) > 0 || patience == 0 || e.stopped.Load() || e.unclaimed.Load() == 0 {
			return items, first
		}
		if looks < lingersAway && e.away.Load() {
			patience = lingers
		} else {
			patience--
		}
		runtime.Gosched()
		w.began = e.clock()
	}
}

// lingersAway is how often a helper yields that waits for a lead who is away, some
// 0.1 ms.
const lingersAway = 512

// standDown makes the lead one who does not work: it gives its permit back, and
// another one may work in its place. c.mu is held.
func (c *crew) standDown() {
	w := &c.lead
	c.size--
	w.down = true
	c.fullUp.Store(false)
	l := c.limiter.Load()
	w.tellOverload(w.n - w.bad)
	if l != nil && !w.guest && (w.seated || !w.seen) {
		if done := w.n - w.bad; done > 0 {
			l.ledger.enter(w.began+c.shift, c.clock()+c.shift)
			l.surplus.Add(int64(done - 1))
			l.sem.Release()
		} else {
			l.sem.Cancel()
		}
	}
	w.seated, w.seen = false, true
	w.n, w.bad = 0, 0
}

// standUp makes the lead work again if the limit allows that now.
func (c *crew) standUp() bool {
	w := &c.lead
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.limiter.Load()
	switch {
	case l != nil && w.guest:
		if c.lent {
			return false
		}
	case l != nil:
		if !l.tryAcquire() {
			return false
		}
		w.seated = true
	case c.size >= c.bound():
		return false
	default:
		w.seen = false
	}
	c.size++
	w.down = false
	return true
}
