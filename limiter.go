package sweetspot

import (
	"context"
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/limit"
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
	everyOption
	loop loop.Loop
}

// New returns a Limiter that starts at GOMAXPROCS and sets its own limit by
// [control.Search] within [control.Overload]. It panics if the options contradict each
// other.
func New(opts ...LimiterOption) *Limiter {
	l := new(Limiter)
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("sweetspot: New: option %d of %d is nil", i+1, len(opts)))
		}
		o.limiter(&l.loop.Config)
	}
	l.loop.Init()
	if l.Name() != "" {
		register(l)
	}
	return l
}

// Acquire takes a permit. While the limit is reached it waits, first come, first
// served. It returns nil, or [context.Cause] of ctx if ctx is done first; then it holds
// no permit. Lowering the limit does not send waiters away.
//
// Without waiting it costs about 10 ns and allocates nothing. Only the first Acquire
// after a rest also starts the measuring, which takes some microseconds.
//
// Every permit must be given back by one [Limiter.Release].
func (l *Limiter) Acquire(ctx context.Context) error { return l.loop.Acquire(ctx) }

// TryAcquire takes a permit if one is free and no caller waits, and reports whether it
// did. It costs as much as [Limiter.Acquire]. If one caller in 20 gets none, the law
// counts that as demand, as if callers waited.
func (l *Limiter) TryAcquire() bool { return l.loop.TryAcquire() }

// Release gives a permit back and counts its unit as [Done], with weight 1. It panics
// if no permit is held.
//
// A unit between Acquire and Release is counted but not timed, because a clock reading
// costs more than both. Timed units ([Limiter.Do], [Limiter.Begin]) can fail, and let
// the law decide sooner if units take equally long.
func (l *Limiter) Release() { l.loop.Release() }

// SetLimit fixes the limit at n at once, until [Limiter.Auto]. Raising it admits the
// waiters that fit, in order. Lowering it revokes nothing: running units finish. Min,
// Max and ceilings do not apply. It panics unless n is between 1 and [limit.MaxLimit].
//
// To fix the limit of a new Limiter, call SetLimit before its first use: the number is
// in force at once, whatever the law and the options say.
func (l *Limiter) SetLimit(n int) {
	if n == 0 {
		panic(fmt.Sprintf("sweetspot: SetLimit(0): want a number from 1 to %d; Auto hands the limit back to the law", limit.MaxLimit))
	}
	within("SetLimit", n)
	l.loop.SetLimit(n)
}

// Auto hands the limit back to the law after [Limiter.SetLimit]. The law goes on from
// there.
func (l *Limiter) Auto() { l.loop.Auto() }

// Limit returns the limit in force.
func (l *Limiter) Limit() int { return l.loop.Limit() }

// Name returns the name set by the option [Name].
func (l *Limiter) Name() string { return l.loop.Config.Name }
