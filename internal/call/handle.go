package call

import (
	"context"
	"sync"
	"time"
)

// A Handle is what a job has of its Call. It is part of the job's object, which a
// callback can keep beyond the end of the call by its context. Nobody can keep the Call
// itself if it never had a helper, so the next one takes it: to allocate one, and
// to collect it as garbage, would be half of what a short call costs.
type Handle struct {
	*Call // nil once it was given back
	ctx   Context
}

// idle are the Calls that have nothing to do.
var idle = sync.Pool{New: func() any { return new(Call) }}

// Engage takes a Call for the function with that code. cfg is not changed until it has ended.
func (h *Handle) Engage(key uintptr, cfg *Config) {
	h.Call = idle.Get().(*Call)
	h.Call.ctx = &h.ctx
	h.Call.Config = cfg
	h.History.Load(key)
}

// Context returns the context of the callbacks.
func (h *Handle) Context() context.Context { return &h.ctx }

// Begin prepares the caller to do the n items of j, or [Unknown]. It returns an error if
// the call must not begin.
func (c *Call) Begin(ctx context.Context, j Job, n int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.ctx.Init(ctx, c.Config.Limiter)
	if c.Config.Weighed {
		c.ctx.weigh()
	}
	c.job = j
	c.stream = n == Unknown
	c.Unclaimed.Store(int64(max(n, 0)))
	c.Caller.call, c.Caller.IsCaller = c, true
	c.size = 1
	c.Caller.Sizer.prior = c.prior()
	if l := c.Config.Limiter; l != nil {
		if l.Holds(ctx) {
			c.Caller.InheritsPermit, c.ctx.limited.inherits = true, true
		} else if err := l.Acquire(ctx); err != nil {
			return err
		} else {
			c.Caller.sawLimiter = true
			c.Caller.hasPermit.Store(true)
		}
	}
	c.start = time.Since(epoch)
	if d, ok := ctx.Deadline(); ok {
		c.deadline = max(1, d.Sub(epoch)-c.start)
	}
	if l := c.Config.Limiter; l != nil {
		c.shift = l.Clock()
		c.accompany()
		c.limiter.Store(l)
	}
	if n > 1 && !c.History.Short(n) {
		c.watchFrom(int64(n - max(1, c.Config.MinChunk))) // once the first chunk is claimed
		if c.History.Steady {
			c.prestart(n)
		}
	}
	return nil
}

// prior is what an item is taken to cost before chunks can tell, ns, or 0.
func (c *Call) prior() float64 {
	if c.stream {
		return 0
	}
	return c.History.Cost
}

// Run does the job and returns when all of it has ended. It panics if a callback
// did, and ends the goroutine if one called [runtime.Goexit]. If it returns nil, the
// Call may be gone.
func (h *Handle) Run() error {
	c := h.Call
	for c.run(&c.Caller) { // once more: others have left something
	}
	c.failure.Resume()
	if c.err != nil {
		return c.err
	}
	h.Dismiss()
	return nil
}

// comeBack has the caller, who has left, work once more. It reports false if the call has
// ended. All helpers have left.
func (c *Call) comeBack() bool {
	if c.stopped.Load() || c.Cancelled() {
		return false
	}
	w, l := &c.Caller, c.limiter.Load()
	if l != nil && !w.InheritsPermit && l.Acquire(c.ctx.Context) != nil {
		c.Cancelled()
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nothingLeft, c.dismiss, c.ending = nil, nil, ending{} // it has ended, and nobody waits
	c.shut, w.Gone = false, false
	c.size++
	w.sawLimiter = l != nil
	w.hasPermit.Store(l != nil)
	w.Began = c.Clock()
	w.permitSince = w.Began
	if t := c.watch.timer; t != nil {
		t.Reset(c.watch.after)
	}
	return true
}

// Dismiss gives the Call back if nobody else can know it.
func (h *Handle) Dismiss() {
	if c := h.Call; c.Alone() {
		h.Call = nil
		*c = Call{}
		idle.Put(c)
	}
}

// Over reports whether the Call was given back.
func (h *Handle) Over() bool { return h.Call == nil }
