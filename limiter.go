package sweetspot

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A Limiter is a semaphore whose limit moves to the sweet spot: the most
// throughput with the fewest units in flight. It measures the work it admits,
// by the number that finish, how long they take, and what the CPUs do
// meanwhile, and asks a [control.Controller] for the limit.
//
// It measures only while units are in flight; at rest it has no goroutine, no
// timer and nothing to close. A thousand that are in use cost a twentieth of a CPU.
// All methods may be called by any number of goroutines.
type Limiter struct {
	sem     *limit.Semaphore
	running atomic.Bool // the governor is awake

	overloads atomic.Int64
	parts     atomic.Int64 // of overloaded units, in 2^-30
	ignored   atomic.Int64
	refused   atomic.Int64 // TryAcquires in vain
	surplus   atomic.Int64 // Σ (weight - 1) of completed units; may wrap
	ledger    ledger
	epoch     time.Time

	name     string
	waits    *waits // nil without a name
	logger   *slog.Logger
	classify func(error) Outcome
	law      control.Controller
	sensor   sense.Sensor
	outside  company.Outside // nil: it shares nothing with other processes
	observe  bool
	start    int
	min, max int
	hand     int // the limit set by hand, 0 if the law decides; guarded by gov.mu after New

	gov governor
}

// maxDefault is far beyond any sweet spot known, and what memory can bear: a
// goroutine with its stack and a waiting unit of work is some 10 kB.
const maxDefault = 100_000

// New returns a Limiter that starts at GOMAXPROCS and governs itself by
// [control.Search] within [control.Overload]. It panics if the options contradict each other.
func New(opts ...LimiterOption) *Limiter {
	l := &Limiter{min: 1, max: maxDefault, epoch: time.Now()}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("sweetspot: New: option %d of %d is nil", i+1, len(opts)))
		}
		o.limiter(l)
	}
	if l.min > l.max {
		panic(fmt.Sprintf("sweetspot: Min(%d) is above Max(%d)", l.min, l.max))
	}
	if l.classify == nil {
		l.classify = doneIfNil
	}
	if l.law == nil {
		l.law = control.NewOverload(control.NewSearch())
	}
	if l.start == 0 {
		l.start = runtime.GOMAXPROCS(0)
	}
	l.start = min(max(l.start, l.min), l.max)
	if l.hand > 0 {
		l.start = l.hand
	}
	l.sem = limit.New(l.start)
	l.gov.init(l)
	if l.name != "" {
		l.waits = new(waits)
		register(l)
	}
	return l
}

// Acquire takes a permit, waiting in first-come order while the limit is
// reached. It returns nil, or [context.Cause] of ctx if that is done first; then
// nothing is held. Lowering the limit does not send waiters away.
//
// Without waiting it costs some 10 ns and allocates nothing; only the first
// Acquire after a rest also starts the measuring, which takes some microseconds.
//
// Every permit must be given back by exactly one of [Limiter.Release],
// [Limiter.ReleaseAs], [Limiter.ReleaseUnits] or [Unit.End].
func (l *Limiter) Acquire(ctx context.Context) error {
	return l.acquire(ctx, nil)
}

// acquire is Acquire, waiting in w unless that is nil.
func (l *Limiter) acquire(ctx context.Context, w *limit.Waiter) error {
	var err error
	switch {
	case l.waits != nil:
		err = l.waits.acquire(ctx, l, w)
	case w != nil:
		err = l.sem.AcquireIn(ctx, w)
	default:
		err = l.sem.Acquire(ctx)
	}
	if err == nil && !l.running.Load() {
		l.gov.wake()
	}
	return err
}

// TryAcquire takes a permit if one is free and nobody waits, and reports
// whether it did. It costs as much as [Limiter.Acquire]. Where one caller in 20 gets
// none, the law takes that for demand, as if they waited.
func (l *Limiter) TryAcquire() bool {
	if l.tryAcquire() {
		return true
	}
	l.refused.Add(1)
	return false
}

// tryAcquire is TryAcquire for a caller who can do without.
func (l *Limiter) tryAcquire() bool {
	if !l.sem.TryAcquire() {
		return false
	}
	if !l.running.Load() {
		l.gov.wake()
	}
	return true
}

// Release gives a permit back and counts its unit as [Done], with weight 1. It
// panics if no permit is held.
//
// A unit between Acquire and Release is counted but not timed, for a clock read
// costs more than both. Timed units ([Limiter.Do], [Limiter.Begin]) let the law
// decide sooner where units are of even length.
func (l *Limiter) Release() { l.sem.Release() }

// ReleaseAs gives a permit back and counts its unit by its outcome. It panics if
// no permit is held or o is no outcome.
func (l *Limiter) ReleaseAs(o Outcome) {
	switch o {
	case Done:
		l.sem.Release()
	case Ignored:
		l.sem.Cancel()
		l.ignored.Add(1)
	case Overloaded:
		l.sem.Cancel()
		l.overloaded()
	default:
		panic(fmt.Sprintf("sweetspot: ReleaseAs(%d): want Done, Ignored or Overloaded", o))
	}
}

// overloaded takes note that there was too much at once.
func (l *Limiter) overloaded() {
	l.overloads.Add(1)
	l.gov.hasten()
}

// overloadedInPart takes note of a unit that some of its items call overloaded.
func (l *Limiter) overloadedInPart(some, of int) {
	const whole = 1 << 30
	part := int64(float64(some) / float64(of) * whole)
	if sum := l.parts.Add(part); sum/whole > (sum-part)/whole {
		l.overloaded()
	}
}

// ReleaseUnits gives a permit back and counts its unit as [Done] with weight n:
// bytes, rows, whatever makes the throughput of small and large units
// comparable. It is the best cure for units of very uneven size. It panics if
// no permit is held or n < 0.
//
// A weight above 2^40 counts as 2^40. Weigh by what was done and not by what a peer
// declares: a Content-Length may be made up, or -1. A Limiter should be fed either with
// weights or without: the law compares sums.
func (l *Limiter) ReleaseUnits(n int) {
	if n < 0 {
		panic(fmt.Sprintf("sweetspot: ReleaseUnits(%d): want 0 or more", n))
	}
	if n == 0 {
		l.releaseNothing()
		return
	}
	l.sem.Release() // first, as it may panic
	l.surplus.Add(min(int64(n), mostUnits) - 1)
}

// mostUnits is the most that a unit weighs: more than the bytes of any file that is sent
// as one. A float64 is exact up to 2^53: it takes 8,192 units of that weight until the sum
// of all no longer shows one of weight 1.
const mostUnits = int64(1) << 40

// releaseNothing releases a unit of weight 0. It takes the weight off before the
// unit is counted: seen in between, the other way round, the total would be too
// large, and as totals only grow it would stay so.
func (l *Limiter) releaseNothing() {
	l.surplus.Add(-1)
	released := false
	defer func() {
		if !released {
			l.surplus.Add(1)
		}
	}()
	l.sem.Release()
	released = true
}

// SetLimit fixes the limit at n at once; 0 hands it back to the law, which goes
// on from there. Raising it admits the waiters that fit, in order. Lowering it
// revokes nothing: running units finish. Min, Max and vetoes do not apply to a
// limit set by hand. It panics if n is negative or above [limit.MaxLimit].
func (l *Limiter) SetLimit(n int) {
	if n < 0 || n > limit.MaxLimit {
		panic(fmt.Sprintf("sweetspot: SetLimit(%d): want a number from 1 to %d, or 0 for automatic", n, limit.MaxLimit))
	}
	l.gov.setByHand(n)
}

// Limit returns the limit in force.
func (l *Limiter) Limit() int { return l.sem.Limit() }

// Name returns the name given by the option [Name].
func (l *Limiter) Name() string { return l.name }
