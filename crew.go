package sweetspot

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A crew is the goroutines of one parallel call: its caller, who leads, and
// helpers that start one by one when what has been measured says that the work
// left pays for them. Every call of this package is a crew around a job; what
// differs is only where its chunks come from.
//
// How many work at a time is decided in three stages, each of which starts only
// if the call lasts that long:
//
//   - alone: the lead works, with no goroutine, no lock and no timer;
//   - up to GOMAXPROCS (or [Fixed]): a helper starts where the work left is
//     worth a thread that wakes up. Work that computes needs no more;
//   - governed (see govern): a Limiter takes over, whose law measures whether
//     more, or fewer, do more work. Work that waits gets its goroutines here.
type crew struct {
	ctx    *callContext  // given to the callbacks
	start  time.Duration // since the epoch
	job    job
	set    settings
	recall recall // of earlier calls of the same function
	lead   worker

	// Read at each chunk edge. They are not kept apart in memory: an edge comes
	// once in some 64 µs, and a smaller object makes short calls cheaper.
	stopped atomic.Bool
	limiter atomic.Pointer[Limiter] // whose permits the workers hold, or nil
	shift   time.Duration           // from the Limiter's clock to start; set before limiter
	fullUp  atomic.Bool             // no more helpers until somebody leaves
	company atomic.Bool             // there is, or was, a helper or a watch
	vain    atomic.Bool             // a body has returned without taking an item, and none was taken since

	// Written at each chunk edge.
	unclaimed atomic.Int64 // items that nobody has claimed
	backlog   func() int64 // those that can be claimed now, if that differs: items still to come from a source cannot
	cost      atomic.Int64 // of an item, ps; 0 while unknown
	beat      atomic.Int64 // edges, if grows

	// For items that bring forth others (see walk.go).
	grows    bool
	wanted   atomic.Bool  // somebody would share the work of the only one who works
	patience atomic.Int64 // no helper before this time for what may come, ns

	mu       sync.Mutex
	workers  []*worker  // with the lead, and those who left items behind
	few      [4]*worker // room for the first of them
	rested   *worker    // those who left: where limits change, they come and go
	parked   *worker    // those whose goroutines wait to be called again, unless there is a Limiter
	scouts   scouts
	size     int          // at work, or about to be
	most     int          // bound of size until a Limiter decides; 0 before it was read
	scouting bool         // somebody waits for a permit to join
	lent     bool         // a helper works under the permit of the lead, who is a guest
	manned   atomic.Int32 // helpers, and scouts unless they may wait for the caller itself; written with mu held
	shut     bool         // the lead has left: nobody joins from outside any more
	quit     context.Context
	dismiss  context.CancelFunc // of quit, if that is not ending
	ending   ending
	watch    watch
	err      error
	panicked *PanicError
	goexit   bool

	helpers sync.WaitGroup
}

// A job is what a crew does: each of its workers calls work once, which claims
// chunks until there are none or the worker is told to leave.
type job interface {
	work(w *worker) error
}

// begin prepares the lead to do n items of j. It returns an error if the call
// must not begin.
func (c *crew) begin(ctx context.Context, j job, n int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.ctx.Context = ctx
	c.job = j
	c.unclaimed.Store(int64(n))
	c.lead.c, c.lead.leads = c, true
	c.size = 1
	if l := c.set.limiter; l != nil {
		c.ctx.permit = l
		if ctx.Value(permit{l}) != nil {
			c.lead.guest = true
		} else if err := l.Acquire(ctx); err != nil {
			return err
		} else {
			c.lead.seen, c.lead.seated = true, true
		}
	}
	c.start = time.Since(epoch)
	if l := c.set.limiter; l != nil {
		c.shift = time.Since(l.epoch)
		c.limiter.Store(l)
	}
	if n > 1 && !c.recall.short(n) {
		c.lookAfter(int64(n - max(1, c.set.grain))) // once the first chunk is claimed
		if c.recall.steady {
			c.foresee(n)
		}
	}
	return nil
}

// workAs does w's part of the job.
func (c *crew) workAs(w *worker) {
	leads, ended := w.leads, false
	defer func() {
		if !ended {
			c.caught(recover())
		}
		if leads && c.alone() {
			c.end()
			return
		}
		c.leave(w)
		if leads {
			c.helpers.Wait()
			c.close()
		}
	}()
	if err := c.job.work(w); err != nil {
		c.fail(err)
	}
	ended = true
}

// caught takes note of a panic of a callback, or of its Goexit if value is nil.
func (c *crew) caught(value any) {
	c.mu.Lock()
	if value == nil {
		c.goexit = true
	} else if c.panicked == nil {
		c.panicked = asPanic(value)
	}
	c.mu.Unlock()
	c.stop(context.Canceled)
}

// fail ends the call with err, unless it has failed already.
func (c *crew) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.stop(err)
}

// stop makes all workers leave at the end of their chunk.
func (c *crew) stop(cause error) {
	c.stopped.Store(true)
	c.ctx.cancel(cause)
	c.exhausted()
}

// alone reports whether the lead has never had anybody or anything beside it.
func (c *crew) alone() bool { return !c.company.Load() && c.limiter.Load() == nil }

// leave takes w off the crew, and gives its permit back.
func (c *crew) leave(w *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.down {
		c.size--
	}
	c.fullUp.Store(false)
	w.gone = true
	if w.leads {
		c.shut = true
		c.dismissAll()
		c.sendHome()
	} else if w.span.empty() {
		last := len(c.workers) - 1
		c.workers[w.at] = c.workers[last]
		c.workers[w.at].at = w.at
		c.workers[last] = nil
		c.workers = c.workers[:last]
		w.at = nowhere
	}
	w.tellOverload(0) // the chunk was not finished
	if l := c.limiter.Load(); l != nil && !w.guest && (w.seated || !w.seen) {
		l.sem.Cancel()
		w.seated, w.seen = false, true
	}
	if w.leads {
		return
	}
	if w.guest {
		c.lent = false
	}
	c.manned.Add(-1)
	c.park(w)
	// Whoever adds to the backlog first adds and then looks whether somebody is
	// there; here it is the other way round.
	if (c.backlog != nil || c.grows) && c.left() > 0 {
		c.enlist()
	}
}

// left returns how many items a newcomer would find.
func (c *crew) left() int64 {
	if c.backlog != nil {
		return c.backlog()
	}
	return c.unclaimed.Load()
}

// close ends what belongs to the call. All helpers have left.
func (c *crew) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch.end()
	c.dismissAll()
	if l := c.limiter.Load(); l != nil && l != c.set.limiter {
		l.retire()
		n := l.standing()
		c.recall.brief, c.recall.full = c.recall.limit == n && l.undecided(), l.full()
		c.recall.items = l.sem.Counters().Completed + l.surplus.Load()
		c.recall.each = float64(c.clock()) / float64(max(c.recall.items, 1))
		c.recall.limit = n
	}
	c.end()
}

// end ends what each call has.
func (c *crew) end() {
	if c.recall.key != 0 {
		cost := float64(c.cost.Load()) / 1000
		if cost == 0 {
			cost = c.lead.pace.cost
		}
		if c.grows && c.watch.stuck {
			// A mean says little where one item brings forth the others.
			cost = max(cost, float64(firstLook))
		}
		c.recall.learn(cost)
		c.recall.keep()
	}
	c.ctx.end()
}

// clock returns the time since the call began.
func (c *crew) clock() time.Duration { return time.Since(epoch) - c.start }
