package sweetspot

import "context"

// exhausted sends away those who wait to join.
func (c *crew) exhausted() {
	if c.alone() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dismissAll()
}

// waiting returns the context under which workers wait for a permit: it ends
// when there is nothing left to do for them. c.mu is held.
func (c *crew) waiting() context.Context {
	if c.quit == nil {
		if c.ctx.Context.Done() == nil {
			c.ending = ending{Context: c.ctx.Context, done: make(chan struct{})}
			c.quit = &c.ending
		} else {
			c.quit, c.dismiss = context.WithCancel(c.ctx.Context)
		}
		if c.stopped.Load() {
			c.dismissAll()
		}
	}
	return c.quit
}

// dismissAll ends what waiting returned. c.mu is held.
func (c *crew) dismissAll() {
	if c.dismiss != nil {
		c.dismiss()
	} else if c.quit != nil && !c.ending.over {
		c.ending.over = true
		close(c.ending.done)
	}
}

// An ending is a context that only its crew can end: the context of a caller that
// cannot be cancelled needs no place in anybody's list.
type ending struct {
	context.Context
	done chan struct{}
	over bool // guarded by crew.mu
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	select {
	case <-e.done:
		return context.Canceled
	default:
		return nil
	}
}
