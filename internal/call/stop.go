package call

import (
	"context"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// Fail ends the call with err, unless it has failed already.
func (c *Call) Fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.Stop(err)
}

// Stop makes all workers leave at the end of their chunk, and ends the context of the
// callbacks with that cause.
func (c *Call) Stop(cause error) {
	c.stopped.Store(true)
	c.ctx.Cancel(cause)
	c.Exhausted()
}

// caught takes note of a panic or a Goexit of a callback.
func (c *Call) caught(f panics.Failure) {
	c.mu.Lock()
	c.failure.Join(f)
	c.mu.Unlock()
	c.Stop(context.Canceled)
}

// Cancelled reports whether the caller's context is done, and fails the call if
// there was something left to do.
func (c *Call) Cancelled() bool {
	ctx := c.ctx.Context
	if ctx.Err() == nil {
		return false
	}
	if c.Unclaimed.Load() > 0 {
		c.Fail(context.Cause(ctx))
	}
	return true
}

// heed lets the caller's context learn that its deadline has passed. Go runs the timer of a
// deadline when it schedules goroutines, and that may be 10 ms later where all compute.
func (c *Call) heed(now time.Duration) {
	if c.deadline > 0 && now >= c.deadline {
		runtime.Gosched()
	}
}

// Exhausted sends away those that wait to join: there is nothing left for them to do.
func (c *Call) Exhausted() {
	if c.Alone() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dismissAll()
}

// allClaimed reports whether nothing is left to claim, where that is known. c.mu is held.
func (c *Call) allClaimed() bool { return !c.stream && c.Unclaimed.Load() <= 0 }

// untilExhausted returns the context under which workers wait for a permit. c.mu is held.
func (c *Call) untilExhausted() context.Context {
	if c.nothingLeft == nil {
		if c.ctx.Context.Done() == nil {
			c.ending = ending{Context: c.ctx.Context, done: make(chan struct{})}
			c.nothingLeft = &c.ending
		} else {
			c.nothingLeft, c.dismiss = context.WithCancel(c.ctx.Context)
		}
		if c.stopped.Load() {
			c.dismissAll()
		}
	}
	return c.nothingLeft
}

// dismissAll ends what untilExhausted returned. c.mu is held.
func (c *Call) dismissAll() {
	if c.dismiss != nil {
		c.dismiss()
	} else if c.nothingLeft != nil && !c.ending.over {
		c.ending.over = true
		close(c.ending.done)
	}
}

// close ends what belongs to the call. All helpers have left.
func (c *Call) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.watch.timer; t != nil {
		t.Stop() // a look that is under way finds the call shut
	}
	c.dismissAll()
	if l := c.own; l != nil {
		l.Retire()
		c.History.govern(l.Learnt(), c.Clock())
	}
	c.end()
}

// end ends what each call has.
func (c *Call) end() {
	if c.History.key != 0 {
		cost := c.Cost()
		if cost == 0 {
			cost = c.Caller.Sizer.Cost
		}
		if c.stream && c.stalled {
			// A mean says little where one item brings forth the others.
			cost = max(cost, float64(FirstLook))
		}
		c.History.Learn(cost)
		c.History.Keep()
	}
	c.ctx.End()
}
