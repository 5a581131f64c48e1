package call

import (
	"time"
)

// A watch looks after a call from outside: while all its workers are inside
// long items, none comes to a boundary where more could be started. It is a
// timer, set only by calls that are not known to be short.
type watch struct {
	timer *time.Timer
	after time.Duration // until the next look
	seen  int64         // progress at the last look
}

// Watch sets the watch, unless it is set.
func (c *Call) Watch() {
	if c.Config.Fixed != 1 && !c.watched.Load() {
		c.watchFrom(c.job.Progress())
	}
}

// watchFrom sets the watch, unless it is set, to see whether there has been
// progress since it was seen.
func (c *Call) watchFrom(seen int64) {
	if c.Config.Fixed == 1 || c.watched.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut || c.crew != nil && c.watch.timer != nil {
		return
	}
	c.accompany()
	c.watched.Store(true)
	c.watch.after = FirstLook
	c.watch.seen = seen
	c.watch.timer = time.AfterFunc(FirstLook, c.look)
}

// look is what the watch does.
func (c *Call) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.Unclaimed.Load()
	if c.shut || c.stopped.Load() || left <= 0 && !c.stream {
		return
	}
	progress := c.job.Progress()
	stalled := progress == c.watch.seen
	c.watch.seen = progress
	worth := c.job.Outlook(stalled)
	if stalled {
		c.stalled = true
		c.crowd(left)
	}
	if c.limiter.Load() == nil {
		if c.Config.Fixed == 0 && left > 0 && worth >= GovernWorth && c.Clock() >= c.governAge() {
			c.govern()
		}
	} else if stalled && left > 0 {
		c.spawn()
	}
	if c.limiter.Load() == nil || c.stream || !c.waiting {
		c.watch.after *= 2
		c.watch.timer.Reset(c.watch.after)
	}
}

// crowd starts all that are allowed: everybody is inside a long item.
func (c *Call) crowd(left int64) {
	if c.limiter.Load() != nil {
		return
	}
	for n := min(int64(c.bound()-c.size), left); n > 0; n-- {
		c.spawn()
	}
}
