package call

import (
	"math"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

const (
	// GovernAfter is the age at which a call gets a limiter of its own, if it
	// has GovernWorth left to do. Making one and its first reading take some
	// tens of microseconds, 1 % of that, and the first of a process, which looks
	// for cgroups and the like, up to a millisecond.
	GovernAfter = 3 * time.Millisecond
	// governQuick is that age where items are quicker than quickItem: those that
	// wait, for a disk or a network, seldom are.
	governQuick = 20 * time.Millisecond
	quickItem   = time.Millisecond
	// GovernWorth is how much work must be left.
	GovernWorth = 5 * time.Millisecond
)

// Govern puts a limiter of its own over the call, as if it had lasted (see govern).
func (c *Call) Govern() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.govern()
}

// govern puts a limiter of its own over the call, which from now on decides how
// many work. For work that keeps the CPUs busy its controller finds no idle CPU time
// and stays; for work that waits it sees idle CPUs and a throughput that grows
// with each step, and doubles. c.mu is held.
func (c *Call) govern() {
	c.accompany()
	c.own = NewLimiter(c.size, c.History.Limit) // those that work report at their next boundary
	c.shift = c.own.Clock() - c.Clock()
	c.limiter.Store(c.own)
	if c.Config.Weighed {
		c.ctx.limited.weights.counts.Store(c.own)
	}
	c.sendHome()
	c.full.Store(false)
	c.spawn()
}

// NewLimiter returns a limiter for a call with that many at work, who hold a permit each.
// Earlier calls of the same function have arrived at that limit, or at 0.
func NewLimiter(atWork, remembered int) *loop.Loop {
	l := loop.New(loop.Config{Start: max(atWork, runtime.GOMAXPROCS(0), remembered)})
	for range atWork {
		l.TryTake()
	}
	return l
}

// governAge returns the age at which the call gets a limiter.
func (c *Call) governAge() time.Duration {
	if cost := c.cost.Load(); cost > 0 && cost < int64(quickItem)*1000 {
		return governQuick
	}
	return GovernAfter
}

// Estimate returns how long the workers will take for what is left, or a long
// time if that is unknown. The call is locked.
func (c *Call) Estimate() time.Duration {
	cost := c.Cost()
	if cost == 0 {
		return GovernWorth
	}
	return nanoseconds(cost * float64(c.Unclaimed.Load()) / float64(c.size))
}

// nanoseconds returns ns as a Duration, or a very long one if it has no room for that.
func nanoseconds(ns float64) time.Duration { return time.Duration(min(ns, 1<<62)) }

// prestart starts those helpers at once that the call can use if its n items cost what
// those of the last calls did. Otherwise none comes before the first item has ended or
// the watch has looked, which takes a millisecond where the runtime waits for it in
// the poller of the network: one item of that length more for the caller.
func (c *Call) prestart(n int) {
	each := 10 * float64(WakeCost) // should they be called in vain, a tenth of what was hoped for is lost
	total := c.History.Cost * float64(n)
	if total < 2*each {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.limiter.Load() != nil:
		c.spawn()
	case c.Config.Fixed == 0 && c.History.Limit > runtime.GOMAXPROCS(0) && total >= float64(GovernWorth)*float64(c.bound()):
		c.govern()
	default:
		for k := min(c.bound(), n, int(min(total/each, math.MaxInt32))) - 1; k > 0; k-- {
			c.spawn()
		}
	}
}
