package sweetspot

import (
	"context"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
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
	return l.loop.Do(ctx, f)
}

// Holds reports whether ctx carries a permit of l: that of a [Limiter.Do] or of a
// parallel call with l as option that is under way. Code that would otherwise Acquire
// another permit asks first, so that nested work does not wait for itself.
func (l *Limiter) Holds(ctx context.Context) bool { return l.loop.Holds(ctx) }

// A Unit is one unit of work: a permit, and the time since it was taken.
type Unit struct {
	loop  *loop.Loop
	began time.Duration
}

// Begin takes a permit as [Limiter.Acquire] does, and starts the clock of a unit. It
// is for work that cannot be wrapped into a function for [Limiter.Do]. It costs one
// clock reading more than Acquire, and does not allocate.
//
// The permit must be given back by one [Unit.End], or by one [Limiter.Release] if the
// unit is done but its time says nothing.
func (l *Limiter) Begin(ctx context.Context) (Unit, error) {
	if err := l.loop.Acquire(ctx); err != nil {
		return Unit{}, err
	}
	return Unit{&l.loop, l.loop.Clock()}, nil
}

// TryBegin is Begin as [Limiter.TryAcquire] is Acquire: it reports whether there was a
// permit.
func (l *Limiter) TryBegin() (Unit, bool) {
	if !l.loop.TryAcquire() {
		return Unit{}, false
	}
	return Unit{&l.loop, l.loop.Clock()}, true
}

// Restart returns u with its clock started anew, for a unit that got its permit ahead of its
// work.
func (u Unit) Restart() Unit {
	return Unit{u.loop, u.loop.Clock()}
}

// End gives the unit's permit back and counts the unit by its outcome and weight.
//
// Only [Done] units are timed, and only their weight counts: bytes, rows, pixels, whatever
// makes the throughput of small and large units comparable. It is the best cure for units of
// very uneven size. Weigh all units of a Limiter or none: the law compares sums. Where
// nothing is weighed the weight is 1. Weigh by what was done and not by what a peer
// declares: a Content-Length may be made up, or -1. A weight above 2^40 counts as 2^40.
//
// A Unit must be ended once. End panics if no permit is held, if o is no outcome, if the
// weight of a Done unit is negative, and if u was not made by [Limiter.Begin] or
// [Limiter.TryBegin].
func (u Unit) End(o Outcome, weight int) {
	if u.loop == nil {
		panic("sweetspot: Unit.End: the Unit was not made by Begin")
	}
	u.loop.End(u.began, loop.Outcome(o), weight)
}
