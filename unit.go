package sweetspot

import (
	"context"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// An Outcome is the result of a unit of work.
type Outcome uint8

const (
	// Done is success: the only outcome that is throughput.
	Done Outcome = iota
	// Ignored teaches nothing: the unit failed by itself or was cancelled. So fast
	// failures do not look like speed.
	Ignored
	// Overloaded says that there was too much at once: a 429, a timeout, out of memory.
	// Up to one unit in 200 may end like this without effect. If more units than usual
	// do, the default law checks whether a lower limit has fewer (see
	// [control.Overload]).
	Overloaded
)

// Do runs f with a permit held, and times it. If ctx is done before Do has a permit, it
// returns the cause of ctx without calling f. Otherwise it returns f's error, which
// also decides the outcome (see [Classify]). If f panics or calls [runtime.Goexit], the
// permit is given back as [Ignored], and the panic goes on.
//
// The ctx given to f carries the permit: a Do on the same Limiter inside f runs under it
// instead of waiting for another, so nested calls cannot deadlock. They are part of the
// unit of f, and are neither counted nor timed themselves. But if items of parallel calls
// under the permit are [Overloaded] and f does not return that, the law counts the unit
// as overloaded in part: by the share of these items that were. When f has returned, its
// ctx no longer carries a permit.
//
// Do costs two clock readings, a mutex and one allocation more than Acquire and
// Release.
func (l *Limiter) Do(ctx context.Context, f func(ctx context.Context) error) error {
	must(f != nil, "sweetspot: Limiter.Do: the function is nil")
	return l.loop.Do(ctx, f)
}

// Holds reports whether ctx carries a permit of l, from a running [Limiter.Do] or a
// running parallel call with l as option. Code that would otherwise Acquire another
// permit checks this first, so that nested work does not wait for itself.
func (l *Limiter) Holds(ctx context.Context) bool { return l.loop.Holds(ctx) }

// DoWeight is [Limiter.Do] for a unit of that weight, such as bytes. If the Limiter has a
// [Budget], DoWeight takes a permit, then waits, first come, first served, until the
// budget has room for the unit, and then calls f. If f returns nil, the weight is the
// unit's throughput (see [Unit.End]).
//
// Inside a unit of the same Limiter DoWeight takes only the weight; inside one that has a
// weight, it takes nothing. So f must not wait for other units with a weight. It panics
// if weight is negative.
func (l *Limiter) DoWeight(ctx context.Context, weight int64, f func(ctx context.Context) error) error {
	must(f != nil, "sweetspot: Limiter.DoWeight: the function is nil")
	return l.loop.DoWeight(ctx, weight, f)
}

// A Unit is one unit of work: a permit, the time since it was taken, and maybe a part of
// the [Budget].
type Unit struct {
	loop  *loop.Loop
	began time.Duration
	share int64 // of the budget
}

// Begin takes a permit as [Limiter.Acquire] does, and starts the clock of a unit. It
// serves work that cannot be wrapped in a function for [Limiter.Do]. It costs one clock
// reading more than Acquire, and does not allocate.
//
// Give the permit back by one [Unit.End], or by one [Limiter.Release] if the unit is
// done but its time means nothing.
func (l *Limiter) Begin(ctx context.Context) (Unit, error) {
	if err := l.loop.Acquire(ctx); err != nil {
		return Unit{}, err
	}
	return Unit{loop: &l.loop, began: l.loop.Clock()}, nil
}

// BeginWeight is Begin for a unit of that weight: if the Limiter has a [Budget], it then
// waits, first come, first served, until the budget has room for the unit. On error it
// holds nothing. Give the unit back by [Unit.End], whose weight may differ: it is what
// was done. It panics if weight is negative.
func (l *Limiter) BeginWeight(ctx context.Context, weight int64) (Unit, error) {
	began, share, err := l.loop.BeginWeight(ctx, weight)
	if err != nil {
		return Unit{}, err
	}
	return Unit{&l.loop, began, share}, nil
}

// TryBegin begins a unit if a permit is free, as [Limiter.TryAcquire] does, and reports
// whether it did.
func (l *Limiter) TryBegin() (Unit, bool) {
	if !l.loop.TryAcquire() {
		return Unit{}, false
	}
	return Unit{loop: &l.loop, began: l.loop.Clock()}, true
}

// Restart returns u with its clock started anew, for a unit that got its permit before
// its work arrived.
func (u Unit) Restart() Unit {
	u.began = u.loop.Clock()
	return u
}

// End gives the unit's permit back and counts the unit by its outcome and weight.
//
// Only [Done] units are timed, and only their weight counts: bytes, rows, pixels,
// whatever makes small and large units comparable. Weights are the best remedy for
// units of very uneven size. Weigh all units of a Limiter or none, because the law
// compares sums; the weight is 1 if nothing is weighed. Weigh by the work done, not by
// what a peer declares: a Content-Length may be wrong, or -1. A weight above 2^40
// counts as 2^40.
//
// End a Unit once. End panics if no permit is held, if o is not an outcome, if the
// weight of a Done unit is negative, and if u is the zero Unit.
func (u Unit) End(o Outcome, weight int) {
	must(u.loop != nil, "sweetspot: Unit.End: the Unit was not made by Begin")
	u.loop.End(u.began, loop.Outcome(o), int64(weight))
	u.loop.GiveWeight(u.share)
}
