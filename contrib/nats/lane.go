package natslimit

import (
	"context"
	"errors"
	"runtime"

	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"github.com/sweetspot-go/sweetspot/internal/panics"
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

// enlist starts a lane for j or, if that is nil, one that waits for a permit if more
// are wanted: there are messages that nobody has, and no other lane waits. So a
// Limiter sees somebody wait if and only if it holds messages back.
func (c *consumption) enlist(j *job) {
	if j != nil {
		c.mu.Lock()
		c.carrying++
		c.mu.Unlock()
		c.start(errand{c.work, func() {}, j})
		return
	}
	if ctx, done := c.wanted(); ctx != nil {
		c.start(errand{ctx, done, nil})
	}
}

// An errand is what a lane is started for.
type errand struct {
	ctx  context.Context
	done context.CancelFunc
	job  *job // nil if it is to wait for one
}

// start lets a lane that rests, or else a new one, do e.
func (c *consumption) start(e errand) {
	select {
	case c.errands <- e:
	default:
		c.lanes.Go(func() { c.lane(e) })
	}
}

// restMost is how many lanes rest at a time. One ends and one begins with each job, and
// one that has run before has its stack, which costs some 35 µs to grow anew.
const restMost = 16

// rest waits for an errand. It reports whether there is one.
func (c *consumption) rest() (e errand, ok bool) {
	if c.resting.Add(1) <= restMost {
		select {
		case e = <-c.errands:
			ok = true
		case <-c.take.Done():
		}
	}
	c.resting.Add(-1)
	return e, ok
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

// lane handles messages, each under a permit, and records them, as long as lanes are
// wanted.
func (c *consumption) lane(e errand) {
	l := &lane{c: c}
	defer l.end()
	for ok := true; ok; e, ok = c.rest() {
		l.run(e)
		notify(c.kick)
	}
	l.over = true
}

type lane struct {
	c        *consumption
	job      *job
	done     context.CancelFunc // of the context of the message
	admitted bool               // has its permit
	over     bool               // ended in order
}

// run handles messages, the first of which may be that of e, until no more lanes are
// wanted.
func (l *lane) run(e errand) {
	c := l.c
	for e.ctx != nil {
		l.admitted, l.job, l.done = false, e.job, e.done
		err := c.limiter.Do(e.ctx, l.body)
		if !l.admitted {
			e.done()
			c.unadmitted(e.job, err)
			return
		}
		notify(c.kick) // a permit is free
		if l.job.settle {
			c.settle(l.job)
		}
		e.done()
		e.job = nil
		e.ctx, e.done = c.wanted()
	}
	l.job = nil
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
		return l.do(ctx)
	}
	c.mu.Lock()
	c.waiting = false
	if c.backlog == 0 || ctx.Err() != nil || c.take.Err() != nil {
		c.mu.Unlock()
		l.leave()
	}
	c.ready++
	c.mu.Unlock()
	notify(c.kick)
	c.enlist(nil)
	l.job = <-c.messages
	if l.job == nil {
		l.leave()
	}
	return l.do(ctx)
}

// do handles the message of the lane.
func (l *lane) do(ctx context.Context) error {
	err := l.c.do(ctx, l.job)
	if l.job.ctx == nil { // the handler was not called: err is none of its errors
		l.leave()
	}
	return err
}

// leave ends a lane that has no message, or whose message is not handled. Such a unit is
// Ignored, whatever Classify makes of errors.
func (l *lane) leave() {
	l.over = true
	runtime.Goexit()
}

// end takes down how a lane ended, and stops the consumption if its handler
// panicked or left its goroutine.
func (l *lane) end() {
	l.done()
	if l.over {
		notify(l.c.kick)
		return
	}
	c := l.c
	failure := panics.Caught(recover(), adapter.Wrap)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure.Join(failure)
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
	}
	c.mu.Unlock()
	if j == nil {
		return
	}
	c.logger.Debug("put back", "subject", j.message.Subject(), "why", err)
	c.giveBack(j)
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
