package loop

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
	"github.com/sweetspot-go/sweetspot/sense"
)

// Config says how a Loop is governed. Where a field is zero, a default stands for it.
type Config struct {
	Name       string              // none: waits are not timed
	Logger     *slog.Logger        // of decisions; none
	Classify   func(error) Outcome // Done if nil, else Ignored
	Controller control.Controller  // Search within Overload
	MaxP99     time.Duration       // an objective for it; none
	Sensor     sense.Sensor        // of the process
	Outside    company.Outside     // other processes to share a bottleneck with; none
	Observe    bool                // leave the limit alone
	Start      int                 // the first limit; GOMAXPROCS
	Min, Max   int                 // 1 and 100,000
	Budget     int64               // most weight in flight; no bound

	// Recall, if there is one, is given the other fields once all are set. It may change them.
	Recall func(*Config)
	// After, if there is one, is called after each tick, with nothing held.
	After func()
}

// MaxDefault is far beyond any sweet spot known, and what memory can bear: a
// goroutine with its stack and a waiting unit of work is some 10 kB.
const MaxDefault = 100_000

// fill puts the defaults in, and the first limit into Start. It panics if Min is above Max.
func (c *Config) fill() {
	c.Min = cmp.Or(c.Min, 1)
	c.Max = cmp.Or(c.Max, MaxDefault)
	if c.Min > c.Max {
		panic(fmt.Sprintf("sweetspot: Min(%d) is above Max(%d)", c.Min, c.Max))
	}
	if c.Classify == nil {
		c.Classify = doneIfNil
	}
	if c.Controller == nil {
		c.Controller = control.NewOverload(control.NewSearch())
	}
	if c.MaxP99 > 0 {
		c.Controller = control.NewObjective(c.Controller, c.MaxP99)
	}
	if c.Recall != nil {
		c.Recall(c)
	}
	c.Start = cmp.Or(c.Start, runtime.GOMAXPROCS(0))
	c.Start = min(max(c.Start, c.Min), c.Max)
}
