package call

import (
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// turn is how long a worker keeps a permit for which others wait, unless
// its items take longer. Handing it over costs some microseconds.
const turn = time.Millisecond

// Renew counts a chunk of a worker that has held its permit for so long, and reports
// whether the worker still holds it. A permit of a shared limiter for which others wait
// passes to them after a turn; waiting reports whether a worker of the same call waits.
func Renew(l *loop.Loop, ch loop.Chunk, shared bool, held time.Duration, waiting func() bool) bool {
	keep := true
	if shared && held >= turn {
		n := l.Waiting()
		keep = n == 0 || n == 1 && waiting()
	}
	return l.Finish(ch, keep)
}

// report tells the limiter of the chunk that has ended at now, and reports
// whether the worker may go on. If it may not, it holds no permit any more.
func (w *Worker) report(l *loop.Loop, now time.Duration) bool {
	c := w.call
	if w.InheritsPermit {
		w.reportNested(l)
		return true
	}
	if !w.sawLimiter {
		w.sawLimiter = true
		w.hasPermit.Store(true)
	}
	if !w.hasPermit.Load() {
		return false // it was given back at an earlier boundary, which counted the chunk
	}
	if w.Items == 0 {
		return true
	}
	if Renew(l, w.chunk(now), c.own == nil, now-w.permitSince, c.waits) {
		return true
	}
	w.hasPermit.Store(false)
	return false
}

// Lost reports whether w is the caller and has had to give its permit back.
func (w *Worker) Lost() bool {
	return w.IsCaller && w.sawLimiter && !w.hasPermit.Load() && !w.InheritsPermit && w.call.Governed()
}

// reportNested tells the limiter of a chunk that is a part of the unit under whose permit it
// ran.
func (w *Worker) reportNested(l *loop.Loop) {
	if w.Items > 0 {
		l.FinishNested(w.call.ctx.Context, w.chunk(0))
	}
}

// giveBack ends the chunk of w, and gives back the permit of w if it has one.
func (w *Worker) giveBack() {
	l := w.call.limiter.Load()
	switch {
	case l == nil:
	case w.InheritsPermit:
		w.reportNested(l)
	case !w.hasPermit.Load() && w.sawLimiter:
	case w.Items == 0:
		l.Cancel()
	default:
		l.Finish(w.chunk(w.call.Clock()), false)
	}
	w.hasPermit.Store(false)
	w.sawLimiter = true
	w.Items, w.ignored, w.overloaded = 0, 0, 0
}

// chunk returns the chunk that has ended at now, for the limiter.
func (w *Worker) chunk(now time.Duration) loop.Chunk {
	shift := w.call.shift
	return loop.Chunk{
		Done: w.Items - w.ignored - w.overloaded, Ignored: w.ignored, Overloaded: w.overloaded,
		Began: w.Began + shift, Ended: now + shift, Nested: w.call.ctx.Nested(),
	}
}

// regain goes on after a Settle at now that has reported false, if w has only lost its
// permit and gets another one.
func (w *Worker) regain(now time.Duration) (time.Duration, bool) {
	if !w.Lost() || !w.reacquire() {
		return now, false
	}
	return w.Settle() // of no items
}

// reacquire waits for a permit for the caller, who has lost its own and cannot leave. It
// reports false if there was nothing left to wait for.
func (w *Worker) reacquire() bool {
	c := w.call
	c.mu.Lock()
	if c.allClaimed() {
		c.mu.Unlock()
		return false
	}
	until := c.untilExhausted()
	c.mu.Unlock()
	if c.limiter.Load().Acquire(until) != nil {
		c.Cancelled()
		return false
	}
	w.hasPermit.Store(true)
	w.Items = 0
	w.permitSince = c.Clock()
	w.Began = w.permitSince
	return true
}

// waits reports whether a worker of the call waits for a permit.
func (c *Call) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting
}
