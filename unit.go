package sweetspot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// An Outcome says what became of a unit of work.
type Outcome uint8

const (
	// Done is success: the only outcome that is throughput.
	Done Outcome = iota
	// Ignored teaches nothing: the unit failed by itself or was cancelled. Fast
	// failures must not look like speed.
	Ignored
	// Overloaded says that there was too much at once: a 429, a timeout, out of
	// memory. Where more units than usual end so, the default law asks whether a
	// lower limit has fewer (see [control.Overload]); one in 200 is let pass.
	Overloaded
)

func doneIfNil(err error) Outcome {
	if err == nil {
		return Done
	}
	return Ignored
}

// Do runs f with a permit held, and times it. It returns the cause of ctx if
// that is done before a permit is free; then f is not called. Otherwise it
// returns f's error, which also decides the outcome (see [Classify]). If f
// panics or calls [runtime.Goexit], the permit is given back as [Ignored], and
// the panic goes on.
//
// The ctx given to f carries the permit: a Do on the same Limiter inside f runs
// under it instead of waiting for another, so nested calls cannot deadlock.
// They are part of the unit of f, and neither counted nor timed themselves. Once
// f has returned, its ctx carries nothing any more.
//
// Do costs two clock readings, a mutex and one allocation more than Acquire and
// Release.
func (l *Limiter) Do(ctx context.Context, f func(ctx context.Context) error) error {
	if ctx.Value(permit{l}) != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return f(ctx)
	}
	if err := l.Acquire(ctx); err != nil {
		return err
	}
	inside := &permitted{Context: ctx, l: l}
	u, o := l.Begin(), Ignored
	defer func() {
		inside.over.Store(true)
		u.End(o, 1)
	}()
	err := f(inside)
	o = l.judge(err)
	return err
}

// Holds reports whether ctx carries a permit of l: that of a [Limiter.Do] or of a
// parallel call with l as option that is under way. Who would otherwise Acquire
// another one asks first, so that what is nested does not wait for itself.
func (l *Limiter) Holds(ctx context.Context) bool { return ctx.Value(permit{l}) != nil }

// judge returns the outcome of a unit that ended with err.
func (l *Limiter) judge(err error) Outcome {
	o := l.classify(err)
	if o > Overloaded {
		panic(fmt.Sprintf("sweetspot: the function of Classify returned %d: want Done, Ignored or Overloaded", o))
	}
	return o
}

// permit is the context key under which Do leaves word of the permit it holds.
type permit struct{ l *Limiter }

// permitted is the context of a function that runs under a permit of l.
type permitted struct {
	context.Context
	l    *Limiter
	over atomic.Bool // the permit was given back
}

func (c *permitted) Value(key any) any {
	if key == (permit{c.l}) && !c.over.Load() {
		return c
	}
	return c.Context.Value(key)
}

// A Unit is one unit of work whose time in flight is measured.
type Unit struct {
	l     *Limiter
	began time.Duration
}

// Begin starts the clock of a unit whose permit has just been acquired. It is
// for engines that cannot wrap their work into a function for [Limiter.Do]. It
// costs one clock reading and does not allocate.
func (l *Limiter) Begin() Unit { return Unit{l, time.Since(l.epoch)} }

// End gives the unit's permit back, with its outcome and its weight (1 where
// nothing is weighed, at most 2^40; of no account unless o is [Done]). It panics like
// [Limiter.ReleaseAs] and [Limiter.ReleaseUnits], and if u was not made by
// [Limiter.Begin]. A Unit must be ended once.
func (u Unit) End(o Outcome, units int) {
	if u.l == nil {
		panic("sweetspot: End of a Unit not made by Begin")
	}
	if o != Done {
		u.l.ReleaseAs(o)
		return
	}
	ended := time.Since(u.l.epoch)
	// First, as it may panic, and as somebody may wait for the permit.
	if units == 1 {
		u.l.Release()
	} else {
		u.l.ReleaseUnits(units)
	}
	u.l.ledger.enter(u.began, ended)
}

// A ledger sums up the residence of timed units.
type ledger struct {
	mu      sync.Mutex
	changed time.Duration // when the limit last changed
	resumed time.Duration // when the process last went on after a standstill
	entries
	latencies *control.Histogram // of all that are summed up; nil unless the law reads it
}

// entries are the ledger's sums, in the shape that a Reading wants.
type entries struct {
	timed          int64
	residence      float64
	residence2     float64
	timedSince     int64
	residenceSince float64
}

func (g *ledger) enter(began, ended time.Duration) {
	r := (ended - began).Seconds()
	g.mu.Lock()
	defer g.mu.Unlock()
	if began < g.resumed && g.resumed <= ended {
		return // nobody knows how long it would have taken
	}
	g.timed++
	g.residence += r
	g.residence2 += r * r
	if began >= g.changed {
		g.timedSince++
		g.residenceSince += r
	}
	if g.latencies != nil {
		g.latencies.Add(r)
	}
}

func (g *ledger) stoodStill(until time.Duration) {
	g.mu.Lock()
	g.resumed = until
	g.mu.Unlock()
}

func (g *ledger) limitChanged(at time.Duration) {
	g.mu.Lock()
	g.changed, g.timedSince, g.residenceSince = at, 0, 0
	g.mu.Unlock()
}

// read returns the sums, and copies the histogram if there is one.
func (g *ledger) read(latencies *control.Histogram) entries {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.latencies != nil {
		*latencies = *g.latencies
	}
	return g.entries
}
