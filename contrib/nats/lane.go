package natslimit

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/sweetspot-go/sweetspot"
)

// known returns the backlog.
func (c *consumption) known() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.backlog
}

// know takes down how many messages nobody has. If there are none, nobody need wait
// for a permit.
func (c *consumption) know(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backlog = n
	if n == 0 && c.waiting {
		c.dismiss()
	}
}

// alert wakes the dispatcher.
func (c *consumption) alert() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// enlist starts a lane for j or, if that is nil, one that waits for a permit if more
// are wanted: there are messages that nobody has, and no other lane waits. So a
// Limiter sees somebody wait if and only if it holds messages back.
func (c *consumption) enlist(j *job) {
	if j != nil {
		c.mu.Lock()
		c.carrying++
		c.mu.Unlock()
		c.lanes.Go(func() { c.lane(c.work, func() {}, j) })
		return
	}
	if ctx, done := c.wanted(); ctx != nil {
		c.lanes.Go(func() { c.lane(ctx, done, nil) })
	}
}

// wanted returns the context of a lane that is to wait for a permit, or nil if none
// is wanted.
func (c *consumption) wanted() (context.Context, context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// One that has a message already comes first.
	if c.waiting || c.carrying > 0 || c.backlog <= uint64(c.ready) || c.take.Err() != nil {
		return nil, nil
	}
	c.waiting = true
	var ctx context.Context
	ctx, c.dismiss = context.WithCancel(c.work)
	return ctx, c.dismiss
}

// lane handles messages, each under a permit, the first of which may be j, and records
// them. It ends when no more lanes are wanted.
func (c *consumption) lane(ctx context.Context, done context.CancelFunc, j *job) {
	l := &lane{c: c}
	defer l.end()
	for ctx != nil {
		l.admitted, l.job, l.done = false, j, done
		err := c.limiter.Do(ctx, l.body)
		if !l.admitted {
			done()
			c.unadmitted(j, err)
			break
		}
		c.alert() // a permit is free
		if l.job.settle {
			c.settle(l.job)
		}
		done()
		j = nil
		ctx, done = c.wanted()
	}
	l.over = true
}

// A lane is a goroutine that handles messages.
type lane struct {
	c        *consumption
	job      *job
	done     context.CancelFunc // of the context of the message
	admitted bool               // has its permit
	over     bool               // ended in order
}

// body is what a lane does with its permit.
func (l *lane) body(ctx context.Context) error {
	c := l.c
	l.admitted = true
	if l.job != nil {
		c.mu.Lock()
		c.carrying--
		c.mu.Unlock()
		c.enlist(nil)
		return c.do(ctx, l.job)
	}
	c.mu.Lock()
	c.waiting = false
	if c.backlog == 0 || ctx.Err() != nil || c.take.Err() != nil {
		c.mu.Unlock()
		l.leave()
	}
	c.ready++
	c.mu.Unlock()
	c.alert()
	c.enlist(nil)
	l.job = <-c.messages
	if l.job == nil {
		l.leave()
	}
	return c.do(ctx, l.job)
}

// leave ends a lane for which there is no message. Whatever the function of Classify
// makes of errors, a unit that ends so is Ignored.
func (l *lane) leave() {
	l.over = true
	runtime.Goexit()
}

// end takes down how a lane ended, and stops the consumption if its handler
// panicked or left its goroutine.
func (l *lane) end() {
	l.done()
	if l.over {
		l.c.alert()
		return
	}
	c := l.c
	v := recover()
	c.mu.Lock()
	defer c.mu.Unlock()
	if v == nil {
		c.exited = true
	} else if c.panicked == nil {
		p, ok := v.(*sweetspot.PanicError)
		if !ok {
			p = &sweetspot.PanicError{Value: v, Stack: debug.Stack()}
		}
		c.panicked = p
	}
	c.fail(errFailed)
}

// errFailed is the cause that the ctx of handlers has when another one panicked.
var errFailed = errors.New("sweetspot: another handler panicked")

// unadmitted puts back what a lane leaves that was not given a permit.
func (c *consumption) unadmitted(j *job, err error) {
	c.mu.Lock()
	if j == nil {
		c.waiting = false
	} else {
		c.carrying--
		delete(c.held, j)
	}
	c.mu.Unlock()
	if j == nil {
		return
	}
	c.logger.Debug("put back", "subject", j.message.Subject(), "why", err)
	c.nak(j.message, 0)
}

// dismissReady sends home the lanes that wait for a message, if none is left.
func (c *consumption) dismissReady() {
	c.mu.Lock()
	n := 0
	if c.backlog == 0 {
		n, c.ready = c.ready, 0
	}
	c.mu.Unlock()
	for range n {
		c.messages <- nil
	}
}
