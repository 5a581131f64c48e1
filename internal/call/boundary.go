package call

import (
	"context"
	"errors"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// Boundary is called between chunks: it accounts for the chunk that has ended, starts a
// helper if the work left pays for it, and reports whether w may claim another chunk.
//
// It costs a clock reading and a few atomic loads, some 60 ns, for each chunk of
// some 64 µs; with a context that can be cancelled, some 10 ns more.
func (w *Worker) Boundary() bool {
	now, ok := w.Account()
	if ok && w.Sizer.Cost > 0 {
		w.call.recruit(now, w.Sizer.Cost)
	}
	return ok
}

// recruit starts a helper if the work left pays for it, where an item costs that much.
func (c *Call) recruit(now time.Duration, cost float64) {
	left := c.Unclaimed.Load()
	if left <= 0 || now < Sure {
		return
	}
	c.SetCost(cost)
	if worth := nanoseconds(cost * float64(left)); worth >= 2*WakeCost {
		c.Watch()
		c.Spawn(worth)
	}
}

// Spawn starts one more worker if the limit allows and what is left, in time of
// one worker, pays for it.
func (c *Call) Spawn(left time.Duration) {
	if c.full.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if left >= WakeCost*time.Duration(c.size+1) {
		c.spawn()
	}
}

// Account is Boundary without helpers. It also returns the time.
func (w *Worker) Account() (time.Duration, bool) {
	now, ok := w.Settle()
	if !ok {
		now, ok = w.regain(now)
	}
	return now, ok
}

// Settle is Account for a caller that can go on without a permit: when it has to give its
// own back, Settle reports false, and does not wait for another one (see Lost).
func (w *Worker) Settle() (time.Duration, bool) {
	c := w.call
	now := w.Began
	if w.Items > 0 {
		now = c.Clock()
		w.Sizer.See(w.Items, now-w.Began)
	}
	if l := c.limiter.Load(); l != nil && !w.report(l, now) {
		return now, false
	}
	c.heed(now)
	return w.renew(now), !c.stopped.Load() && !c.Cancelled()
}

// AccountAlone is Account of a caller without a limiter, at now.
func (w *Worker) AccountAlone(now time.Duration) bool {
	w.Sizer.See(w.Items, now-w.Began)
	w.call.heed(now)
	w.renew(now)
	return !w.call.stopped.Load() && !w.call.Cancelled()
}

// renew begins a chunk at now, or later after a wait for a permit.
func (w *Worker) renew(now time.Duration) time.Duration {
	w.Done += w.Items
	w.Items, w.ignored, w.overloaded = 0, 0, 0
	now = max(now, w.Began)
	w.Began = now
	return now
}

// Blame takes note of the outcome of an item that ended with err. It returns the
// cause of the caller's context if that is what has ended the item, or nil.
func (w *Worker) Blame(err error) error {
	c := w.call
	o := loop.Ignored
	if l := c.Config.Limiter; l != nil {
		o = l.Judge(err)
	}
	switch o {
	case loop.Ignored:
		w.ignored++
	case loop.Overloaded:
		w.overloaded++
	}
	return c.causeOf(err)
}

// causeOf returns the cause of the caller's context if err says that it has ended, or nil.
func (c *Call) causeOf(err error) error {
	if ctx := c.ctx.Context; ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return nil
}

// Unfinished takes note that the chunk of w was not finished: only the items that failed
// are known.
func (w *Worker) Unfinished() { w.Items = w.ignored + w.overloaded }
