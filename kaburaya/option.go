package kaburaya

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// DefaultMax is the highest limit unless [Max] says otherwise. A Go program crashes
// when it needs more than 10,000 threads, and each unit of work may hold one in a
// blocking system call.
const DefaultMax = 8192

// DefaultChangeRate is the published change rate: see [ChangeRate].
const DefaultChangeRate = 0.3

// An Option changes what [NewSem] makes.
type Option interface{ apply(*config) }

type config struct {
	metric     control.Metric
	max        int
	changeRate float64
	published  bool
	record     func(Point)
	sensor     sense.Sensor
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

// CPU sets whose CPU usage the law reads: that of this application, the default and the
// talk's choice, or of the whole machine (or cgroup), which the published
// implementation reads.
func CPU(m control.Metric) Option {
	if m != control.OwnCPU && m != control.MachineCPU {
		panic(fmt.Sprintf("kaburaya: CPU(%v): want control.OwnCPU or control.MachineCPU", m))
	}
	return option(func(c *config) { c.metric = m })
}

// Max sets the highest limit, [DefaultMax] without it. It panics unless n is
// between 1 and [limit.MaxLimit].
func Max(n int) Option {
	if n < 1 || n > limit.MaxLimit {
		panic(fmt.Sprintf("kaburaya: Max(%d): the maximum must be between 1 and %d", n, limit.MaxLimit))
	}
	return option(func(c *config) { c.max = n })
}

// ChangeRate sets the relative change of usage from one period to the next that
// counts as a change of the work, and moves the set point up. It is
// [DefaultChangeRate] without it; 0.3 is 30 %. The talk reports that the result
// is sensitive to it. It panics if rate is negative or not a number.
func ChangeRate(rate float64) Option {
	if !(rate >= 0) {
		panic(fmt.Sprintf("kaburaya: ChangeRate(%v): the rate must be 0 or more, such as 0.3", rate))
	}
	return option(func(c *config) { c.changeRate = rate })
}

// AsPublished has the law decide as the published implementation does, to replay what the
// talk reports to go wrong: idleness counts as low usage, so the limit falls while
// nothing runs; work that uses no CPU is held at 1; the limit rises although nobody
// waits, and stops only at the maximum; it can stay at 1 for ever; and shortages of
// memory, threads and files do not lower it. Wait, Signal and Stop, whose published forms
// hang and leak, stay as they are.
func AsPublished() Option { return option(func(c *config) { c.published = true }) }

// Record calls f after each period with what was measured and decided, for pictures of
// usage, set point and limit over time. Calls come one at a time, from the goroutine
// that adjusts the limit, which waits for f. All calls are over when [Sem.Stop]
// returns, so data collected by f may then be read without a lock. f may call Limit and
// Stop; a Wait in f would hold up the adjusting.
func Record(f func(Point)) Option {
	if f == nil {
		panic("kaburaya: Record(nil): want a function")
	}
	return option(func(c *config) { c.record = f })
}

// Sensor replaces [sense.NewProcess] as the source of CPU figures, for work done
// elsewhere than in this process, and for tests. A Sem calls it once a period, from one
// goroutine at a time.
func Sensor(s sense.Sensor) Option {
	if s == nil {
		panic("kaburaya: Sensor(nil): want a sensor, such as sense.NewProcess()")
	}
	return option(func(c *config) { c.sensor = s })
}
