package loop

import "time"

// A ceilingLog decides when to log that a ceiling of the sensor holds the limit back: once,
// and not at each tick at which it does.
type ceilingLog struct {
	held  int           // the limit last logged, 0 while no ceiling holds it back
	until time.Duration // it counts as held back until then, unless it is again
}

const (
	// ceilingLinger is how long a ceiling must leave the limit alone before it counts as
	// lifted. What is left of memory or files is never quite still, and a controller
	// that stands just below the ceiling meets it now and again.
	ceilingLinger = time.Second
	// ceilingStep is the share that the ceiling must fall by to be logged again.
	ceilingStep = 0.1
)

// see takes whether a ceiling holds the limit back, at n, and reports whether to log that.
func (c *ceilingLog) see(at time.Duration, binds bool, n int) bool {
	if !binds {
		if at >= c.until {
			c.held = 0
		}
		return false
	}
	c.until = at + ceilingLinger
	if c.held > 0 && float64(n) > (1-ceilingStep)*float64(c.held) {
		return false
	}
	c.held = n
	return true
}
