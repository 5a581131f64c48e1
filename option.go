package sweetspot

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A LimiterOption sets up a [Limiter]; see [New].
type LimiterOption interface{ limiter(*Limiter) }

type limiterOption func(*Limiter)

func (o limiterOption) limiter(l *Limiter) { o(l) }

// A FixedLimit fixes a limit; see [Fixed].
type FixedLimit struct{ n int }

// Fixed fixes the number at n. As an option of [New] it fixes the limit,
// whatever Start, Min and Max say, as [Limiter.SetLimit] does; [Limiter.Stats]
// measures as ever, and SetLimit(0) makes the limit automatic. As an option of a
// call it allows n callbacks at a time; the call still starts goroutines only
// where there is work that pays for them, and Fixed(1) runs everything in the
// goroutine of the caller. It panics unless n is between 1 and [limit.MaxLimit].
func Fixed(n int) FixedLimit {
	within("Fixed", n)
	return FixedLimit{n}
}

func (f FixedLimit) limiter(l *Limiter) { l.hand = f.n }

// Min keeps the limit at n or above, unless memory, threads or files forbid that
// much; the default is 1. It panics unless n is between 1 and [limit.MaxLimit],
// and [New] panics if Min is above Max.
func Min(n int) LimiterOption {
	within("Min", n)
	return limiterOption(func(l *Limiter) { l.min = n })
}

// Max keeps the limit at n or below; the default is 100,000. Memory, threads
// and file limits may allow less at any time. It panics unless n is between 1
// and [limit.MaxLimit].
func Max(n int) LimiterOption {
	within("Max", n)
	return limiterOption(func(l *Limiter) { l.max = n })
}

// Start makes the search begin at n instead of GOMAXPROCS, within Min and Max.
// It panics unless n is between 1 and [limit.MaxLimit].
func Start(n int) LimiterOption {
	within("Start", n)
	return start(n)
}

// start is no closure, since most calls that last make one.
type start int

func (n start) limiter(l *Limiter) { l.start = int(n) }

// WithController decides the limit by c instead of the default law, which is
// [control.Search] within [control.Overload]. A controller serves one Limiter, whose methods it must not call. It panics if c
// is nil.
func WithController(c control.Controller) LimiterOption {
	if c == nil {
		panic("sweetspot: WithController(nil): want a controller, such as control.NewSearch()")
	}
	return limiterOption(func(l *Limiter) { l.law = c })
}

// WithSensor reads the surroundings of the work by s instead of
// [sense.NewProcess]. The Limiter calls it from one goroutine at a time; it must
// not call back. It panics if s is nil.
func WithSensor(s sense.Sensor) LimiterOption {
	if s == nil {
		panic("sweetspot: WithSensor(nil): want a sensor, such as sense.NewProcess()")
	}
	return limiterOption(func(l *Limiter) { l.sensor = s })
}

// Name names the Limiter. It is then one of [Limiters], and so on pages and in
// metrics, and measures [Limiter.Waits]. A name should say what the work is and
// belong to one Limiter, as a metric does; "" is none.
func Name(name string) LimiterOption {
	return limiterOption(func(l *Limiter) { l.name = name })
}

// Observe runs the law without letting it move the limit: [Limiter.Changes]
// then says what it would try first. Use it to look before you trust. Only
// [Limiter.SetLimit] moves the limit.
func Observe() LimiterOption {
	return limiterOption(func(l *Limiter) { l.observe = true })
}

// Classify sets how [Limiter.Do] judges the error of a unit. By default nil is
// [Done] and every other error is [Ignored]. Map the answers that mean "too
// much" (429, a timeout, out of memory) to [Overloaded]. It panics if f is nil;
// f is called by the goroutine that called Do, and must return an Outcome.
func Classify(f func(error) Outcome) LimiterOption {
	if f == nil {
		panic("sweetspot: Classify(nil): want a function from error to Outcome")
	}
	return limiterOption(func(l *Limiter) { l.classify = f })
}

func within(option string, n int) {
	if n < 1 || n > limit.MaxLimit {
		panic(fmt.Sprintf("sweetspot: %s(%d): want a number from 1 to %d", option, n, limit.MaxLimit))
	}
}
