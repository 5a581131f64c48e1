package sweetspot

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A watch looks after a call from outside: while all its workers are inside
// long items, nobody comes to an edge where more could be started. It is a
// timer, set only by calls that are not known to be short.
type watch struct {
	set   atomic.Bool
	timer *time.Timer
	after time.Duration // until the next look
	seen  int64         // progress at the last look
	stuck bool          // there was none at some look
}

const (
	// firstLook is when a call whose first chunk has not ended gets help: an item
	// that long pays for it many times over.
	firstLook = 2 * wakeCost
	// governAfter is the age at which a call gets a Limiter of its own, if it
	// has governWorth left to do. Making one and its first reading take some
	// tens of microseconds, 1 % of that, and the first of a process, which looks
	// for cgroups and the like, up to a millisecond.
	governAfter = 3 * time.Millisecond
	// governQuick is that age where items are quicker than quickItem: those that
	// wait, for a disk or a network, seldom are.
	governQuick = 20 * time.Millisecond
	quickItem   = time.Millisecond
	governWorth = 5 * time.Millisecond
)

// look sets the watch, unless it is set.
func (c *crew) look() { c.lookAfter(c.unclaimed.Load()) }

// lookAfter sets the watch, unless it is set, to see whether there has been
// progress since that many items were unclaimed.
func (c *crew) lookAfter(unclaimed int64) {
	if c.set.fixed == 1 || c.watch.set.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut || c.watch.timer != nil {
		return
	}
	c.company.Store(true)
	c.watch.set.Store(true)
	c.watch.after = firstLook
	c.watch.seen = unclaimed
	if c.grows {
		c.watch.seen = c.beat.Load()
	}
	c.watch.timer = time.AfterFunc(firstLook, c.looked)
}

// looked is what the watch does.
func (c *crew) looked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.unclaimed.Load()
	if c.shut || c.stopped.Load() || left <= 0 && !c.grows {
		return
	}
	progress := left
	if c.grows {
		progress = c.beat.Load()
	}
	stuck := progress == c.watch.seen
	c.watch.seen = progress
	if stuck {
		c.watch.stuck = true
		if c.grows && c.mayGrow() {
			c.wanted.Store(true)
		}
		c.crowd(left)
	}
	if c.limiter.Load() == nil {
		if c.set.fixed == 0 && left > 0 && c.shares() && c.clock() >= c.governAge() && c.worth(left) >= governWorth {
			c.govern()
		}
	} else if stuck && left > 0 {
		c.enlist()
	}
	if c.limiter.Load() == nil || c.grows {
		c.watch.after *= 2
		c.watch.timer.Reset(c.watch.after)
	}
}

// shares reports whether several at work would do more, as far as is known.
func (c *crew) shares() bool {
	cost := float64(c.cost.Load()) / 1000
	return !c.grows || cost == 0 || cost >= float64(chunkTime) || sharable(cost)
}

// governAge returns the age at which the call gets a Limiter.
func (c *crew) governAge() time.Duration {
	if cost := c.cost.Load(); cost > 0 && cost < int64(quickItem)*1000 {
		return governQuick
	}
	return governAfter
}

// mayGrow reports whether the limit in force allows more than one at a time.
// c.mu is held.
func (c *crew) mayGrow() bool {
	if l := c.limiter.Load(); l != nil {
		return l.Limit() > 1
	}
	return c.bound() > 1
}

// crowd starts all that are allowed: everybody is inside a long item.
func (c *crew) crowd(left int64) {
	if c.limiter.Load() != nil {
		return
	}
	for n := min(int64(c.bound()-c.size), left); n > 0; n-- {
		c.enlist()
	}
}

// worth returns how long the crew as it is will take for what is left, or a long
// time if that is unknown.
func (c *crew) worth(left int64) time.Duration {
	cost := c.cost.Load()
	if cost == 0 || c.grows {
		return governWorth
	}
	return time.Duration(float64(cost) / 1000 * float64(left) / float64(c.size))
}

// govern puts a Limiter of its own over the call, which from now on decides how
// many work. For work that keeps the CPUs busy its law finds no idle CPU time
// and stays; for work that waits it sees idle CPUs and a throughput that grows
// with each step, and doubles. c.mu is held.
func (c *crew) govern() {
	l := New(Start(max(c.size, runtime.GOMAXPROCS(0), c.recall.limit)))
	for range c.size {
		l.TryAcquire() // for those who work; they report at their next edge
	}
	c.shift = time.Since(l.epoch) - c.clock()
	c.limiter.Store(l)
	c.sendHome()
	c.fullUp.Store(false)
	c.enlist()
}

// end stops the watch. A look that is under way finds the call shut.
func (w *watch) end() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
