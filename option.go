package sweetspot

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A LimiterOption sets up a [Limiter]; see [New].
type LimiterOption interface{ limiter(*loop.Config) }

type limiterOption func(*loop.Config)

func (o limiterOption) limiter(c *loop.Config) { o(c) }

// Min keeps the limit at n or above, unless memory, threads or files do not allow that
// much; the default is 1. It panics unless n is between 1 and [limit.MaxLimit], and
// [New] panics if Min is above Max.
func Min(n int) LimiterOption {
	within("Min", n)
	return limiterOption(func(c *loop.Config) { c.Min = n })
}

// Max keeps the limit at n or below; the default is 100,000. Memory, threads
// and file limits may allow less at any time. It panics unless n is between 1
// and [limit.MaxLimit].
func Max(n int) LimiterOption {
	within("Max", n)
	return limiterOption(func(c *loop.Config) { c.Max = n })
}

// Start makes the search begin at n instead of GOMAXPROCS, within Min and Max. It
// panics unless n is between 1 and [limit.MaxLimit].
func Start(n int) LimiterOption {
	within("Start", n)
	return limiterOption(func(c *loop.Config) { c.Start = n })
}

// Budget bounds the weights of the units in flight: they never add up to more than n, so
// n bytes of memory are enough for units that are weighed by the memory they need (see
// [WeightOf], [Limiter.DoWeight] and [Limiter.BeginWeight]). Weights are granted first
// come, first served, so many small units do not hold up a large one for ever. A unit
// heavier than n counts as n: it runs while no other unit has a weight. Units without a
// weight take nothing.
//
// The limit still decides how many units run: both apply. It panics if n < 1.
func Budget(n int64) LimiterOption {
	atLeast(1, "Budget", n)
	return limiterOption(func(c *loop.Config) { c.Budget = n })
}

// MaxP99 lets the law raise the limit only as far as 99 in 100 units take no longer than
// d, from the permit to the end: the most throughput with a p99 of at most d. It is
// [control.Objective] around the law, whichever that is.
//
// Expect p99 to be d or less in some 95 of 100 seconds, after about 10 s. In the others
// it is over d: it may be a limit that was tried, or a burst of the machine. Where other
// programs leave too few CPUs, units are late at any limit, and it holds less often.
//
// If no limit satisfies it, a decision says so (see [Limiter.Decisions] and [Logger]). The
// limit then only keeps units from queueing, and the objective is tried again within
// about a minute. Waits for a permit do not count: give callers a deadline for them. Units
// between [Limiter.Acquire] and [Limiter.Release] are not timed, so they do not count
// either. It panics if d is not above 0.
func MaxP99(d time.Duration) LimiterOption {
	if d <= 0 {
		panic(fmt.Sprintf("sweetspot: MaxP99(%v): want a time above 0, such as 100*time.Millisecond", d))
	}
	return limiterOption(func(c *loop.Config) { c.MaxP99 = d })
}

// Controller lets c decide the limit instead of the default law, which is
// [control.Search] within [control.Overload]. A controller serves one Limiter, and must
// not call its methods. It panics if c is nil.
func Controller(c control.Controller) LimiterOption {
	must(c != nil, "sweetspot: Controller(nil): want a controller, such as control.NewSearch()")
	return limiterOption(func(to *loop.Config) { to.Controller = c })
}

// Sensor reads CPUs and memory by s instead of [sense.NewProcess]. The Limiter calls s
// from one goroutine at a time; s must not call back. It panics if s is nil.
func Sensor(s sense.Sensor) LimiterOption {
	must(s != nil, "sweetspot: Sensor(nil): want a sensor, such as sense.NewProcess()")
	return limiterOption(func(c *loop.Config) { c.Sensor = s })
}

// Name names the Limiter. A named Limiter is one of [Limiters], so it appears on pages and
// in metrics, and measures [Limiter.Waits]. A name should describe the work and belong to
// one Limiter, as a metric's name does. "" means no name.
func Name(name string) LimiterOption {
	return limiterOption(func(c *loop.Config) { c.Name = name })
}

// Observe runs the law without letting it move the limit: [Limiter.Decisions] says what
// it would try first. Only [Limiter.SetLimit] then moves the limit.
func Observe() LimiterOption {
	return limiterOption(func(c *loop.Config) { c.Observe = true })
}

// Classify sets the outcome that [Limiter.Do] takes from the error of a unit. By
// default nil is [Done] and every other error is [Ignored]. Map answers that mean "too
// much" (429, a timeout, out of memory) to [Overloaded]. The goroutine that called Do
// calls f, which must return an Outcome. It panics if f is nil.
func Classify(f func(error) Outcome) LimiterOption {
	must(f != nil, "sweetspot: Classify(nil): want a function from error to Outcome")
	return limiterOption(func(c *loop.Config) {
		c.Classify = func(err error) loop.Outcome { return loop.Outcome(f(err)) }
	})
}

// Logger writes each [Decision] to logger, as one record. Those of the kinds start,
// probe and stay have level Debug, all others Info. The attributes are limiter (the name,
// if there is one), from, to, kind (as [control.Kind] prints it), gain (if one was
// measured) and why, in words.
//
// The records of a Limiter come in order, from the goroutine of a measurement or of
// [Limiter.SetLimit]. A slow handler delays neither the work nor the measuring;
// meanwhile the newest 256 decisions are kept. It panics if logger is nil.
func Logger(logger *slog.Logger) LimiterOption {
	must(logger != nil, "sweetspot: Logger(nil): want a logger, such as slog.Default()")
	return limiterOption(func(c *loop.Config) { c.Logger = logger })
}
