package sweetspot

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/slots"
)

// A Group runs functions at the same time, as parts of one task. It has the methods and
// the behaviour of the Group of golang.org/x/sync/errgroup, so that one can replace the
// other (see package errgroup of this module). In addition, its limit may change at any
// time, callers can stop waiting, and a [Limiter] can govern it.
//
// The zero Group is valid, has no limit, and does not cancel on error. A Group must not
// be copied after first use. Any number of goroutines may call its methods, including
// the functions that it runs.
//
// After Wait has returned, a Group can be used again. But it still returns its first
// error, and the context of [NewGroup] is done.
//
// # Panics
//
// A function that panics ends the program, as in any goroutine: the panic cannot reach
// the waiting goroutine before that calls Wait, if it ever does. Wait does not return
// meanwhile. A function that calls [runtime.Goexit] counts as one that returned nil.
type Group struct {
	cancel  func(error)
	failure atomic.Pointer[error]
	limiter atomic.Pointer[loop.Loop]
	slots   slots.Slots
}

// NewGroup returns a new Group and a context derived from ctx. The context is cancelled
// when a function of the Group first returns an error, with that error as its cause, or
// else when Wait first returns.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

// Go starts f and returns, without waiting for f to end. While the limit of the Group
// or of its [Limiter] is reached, it first waits for its turn, in the order of the
// calls.
//
// The first error returned by a function of the Group cancels the context of
// [NewGroup], if there is one, and Wait returns it. The error does not stop functions
// from being started, now or later: each function given to Go is called. Functions that
// should not run in vain check the context, or are given to [Group.GoContext].
//
// A function that waits in Go of its own Group, or of another one with the same
// Limiter, can wait for ever, because it may itself hold what it needs. With a Limiter,
// use GoContext; for work that creates more work, [Join] and [Walk].
//
// If f need not wait, it runs in a new goroutine. If it has to wait for SetLimit, f may
// run in the goroutine of the function whose slot it gets, which saves up to two fifths
// of the time of short functions. It then has the profiler labels of that goroutine,
// not of the caller; and a thread that the other function left locked
// ([runtime.LockOSThread]) is f's.
//
// Go costs about as much as a go statement. It panics if f is nil.
func (g *Group) Go(f func() error) {
	must(f != nil, "sweetspot: Group.Go(nil): want a function")
	if l := g.limiter.Load(); l != nil {
		g.enter(context.Background(), nil)
		l.Acquire(context.Background())
		go g.workUnder(l, l.Clock(), nil, f)
		return
	}
	if g.slots.TryTake() {
		go g.work(f)
	} else if started, _ := g.enter(context.Background(), f); !started {
		go g.work(f)
	}
}

// TryGo starts f as Go does if that needs no waiting; otherwise it does nothing. It
// reports whether f was started. It never overtakes waiting callers.
func (g *Group) TryGo(f func() error) bool {
	must(f != nil, "sweetspot: Group.TryGo(nil): want a function")
	if !g.slots.TryTake() {
		return false
	}
	l := g.limiter.Load()
	if l == nil {
		go g.work(f)
		return true
	}
	if !l.TryAcquire() {
		g.giveBack()
		return false
	}
	go g.workUnder(l, l.Clock(), nil, f)
	return true
}

// GoContext is Go with a wait that can be cancelled: if ctx is done before f is
// started, f is not called, and GoContext returns [context.Cause] of ctx. Otherwise it
// returns nil, and f is called with ctx; Wait returns its error. With the context of
// [NewGroup], nothing is started after the first error.
//
// If the Group has a [Limiter], the context given to f carries the permit, as in
// [Limiter.Do], until f returns: calls inside f that use the same Limiter need no
// other. That includes GoContext itself: if ctx carries a permit of that Limiter and no
// other is free, GoContext calls f at once, in its own goroutine and under that permit,
// because waiting for another might never end. A panic of f is then a panic of
// GoContext. What SetLimit allows comes first: a function that holds the last place of
// its Group, and calls GoContext, waits for itself.
func (g *Group) GoContext(ctx context.Context, f func(context.Context) error) error {
	must(f != nil, "sweetspot: Group.GoContext(nil): want a function")
	if l := g.limiter.Load(); l != nil {
		return g.goUnder(ctx, l, f)
	}
	run := func() error { return f(ctx) }
	started, err := g.enter(ctx, run)
	if err == nil && !started {
		go g.work(run)
	}
	return err
}

// goUnder is GoContext in a Group with a Limiter.
func (g *Group) goUnder(ctx context.Context, l *loop.Loop, f func(context.Context) error) error {
	if _, err := g.enter(ctx, nil); err != nil {
		return err
	}
	if !l.TryAcquire() {
		if l.Holds(ctx) {
			defer g.giveBack()
			if err := f(ctx); err != nil {
				g.fail(err)
			}
			return nil
		}
		err := l.Acquire(ctx)
		if err == nil && ctx.Err() != nil {
			l.Cancel()
			err = context.Cause(ctx)
		}
		if err != nil {
			g.giveBack()
			return err
		}
	}
	inside := l.WithPermit(ctx)
	go g.workUnder(l, l.Clock(), inside, func() error { return f(inside) })
	return nil
}

// enter takes a slot for f, which may run already when enter returns (see
// [slots.Slots.Take]). If ctx is done, it gives the slot back and returns an
// error: a slot may well come free because of what has cancelled ctx.
func (g *Group) enter(ctx context.Context, f func() error) (started bool, err error) {
	started, err = g.slots.Take(ctx, f)
	if err == nil && !started && ctx.Err() != nil {
		g.giveBack()
		err = context.Cause(ctx)
	}
	return started, err
}

// work runs f, and then the functions of those who wait for the slot.
func (g *Group) work(f func() error) {
	returned := false
	defer func() {
		if !returned {
			dieOfPanic(recover())
			g.giveBack()
		}
	}()
	for f != nil {
		if err := f(); err != nil {
			g.fail(err)
		}
		f = g.slots.Give()
	}
	returned = true
}

// workUnder runs f as a unit of l that began then, whose context, if it has one, is inside.
func (g *Group) workUnder(l *loop.Loop, began time.Duration, inside *loop.Permitted, f func() error) {
	o, returned := loop.Ignored, false
	defer func() {
		if !returned {
			dieOfPanic(recover())
		}
		if inside != nil {
			inside.Drop()
			inside.End(began, o, 1)
		} else {
			l.End(began, o, 1)
		}
		g.giveBack()
	}()
	err := f()
	if err != nil {
		g.fail(err)
	}
	o = l.Judge(err)
	returned = true
}

// dieOfPanic panics with value, which was recovered, unless it is nil: then it was
// a Goexit. Nothing is given back in between, or else Wait could return, and the
// program end well, before the panic has ended it.
func dieOfPanic(value any) {
	if value != nil {
		panic(value)
	}
}

// giveBack gives a slot back where the goroutine cannot go on with the next
// function.
func (g *Group) giveBack() {
	if next := g.slots.Give(); next != nil {
		go g.work(next)
	}
}

// fail makes err the error of the Group if it is the first.
func (g *Group) fail(err error) {
	if g.failure.CompareAndSwap(nil, &err) && g.cancel != nil {
		g.cancel(err)
	}
}

// SetLimit lets at most n functions of the Group run at the same time. It may be called
// at any time. A negative n removes the limit. At 0 nothing is started: Go waits, and
// TryGo returns false, until the limit is raised.
//
// A higher limit at once starts the functions of as many waiting callers as fit. A
// lower one stops nothing: running functions go on, and none is started until fewer
// than n are left. Functions that were started without a limit count as well. Of
// concurrent calls the last one wins.
//
// The limit is the Group's own. If it also has a Limiter, both apply.
func (g *Group) SetLimit(n int) { g.slots.SetLimit(n) }

// SetLimiter lets functions run only under permits of l, from the next call of Go,
// TryGo or GoContext on. Each function is a unit of work of l: it is timed, and its
// error decides its outcome (see [Classify]). A function that calls [runtime.Goexit] is
// [Ignored]. So measurements decide how many functions run at the same time.
// SetLimiter(nil) ends that.
//
// Any number of Groups and other work may share a Limiter: its limit is for all of them
// together. If SetLimit is called as well, it says how many of these permits this Group
// may hold. A caller takes a slot of the Group first, and then waits for a permit among
// all that share the Limiter.
//
// A function started under a Limiter costs about 1 µs more.
func (g *Group) SetLimiter(l *Limiter) {
	if l == nil {
		g.limiter.Store(nil)
		return
	}
	g.limiter.Store(&l.loop)
}

// Wait blocks until all started functions have returned, and returns the first of their
// errors, or nil. It then cancels the context of [NewGroup]. The error is the one that the
// function returned, as with errgroup. The parallel calls and GoContext return
// [context.Cause] of ctx instead of ctx.Err(); Wait does not.
//
// It does not wait for calls of Go in other goroutines that have not started their
// function yet, for example because of SetLimit(0). A call that waits for a slot which
// becomes free is served before Wait returns.
//
// A Wait that has to wait allocates 16 bytes.
func (g *Group) Wait() error {
	g.slots.Wait()
	var err error
	if first := g.failure.Load(); first != nil {
		err = *first
	}
	if g.cancel != nil {
		g.cancel(err)
	}
	return err
}
