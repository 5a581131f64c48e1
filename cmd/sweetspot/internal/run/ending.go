package run

import (
	"sync/atomic"
	"time"
)

// An ending is how a job ended and what it used.
type ending struct {
	failed bool          // an exit status other than 0, or a signal
	cpu    time.Duration // user and system, of the job and of what it waited for
	rss    int64         // bytes; the largest of its processes
}

// A crowd counts the jobs that run.
type crowd struct{ n, most atomic.Int64 }

// join counts a job in and returns how many there are with it.
func (c *crowd) join() int64 {
	n := c.n.Add(1)
	for {
		most := c.most.Load()
		if n <= most || c.most.CompareAndSwap(most, n) {
			return n
		}
	}
}

func (c *crowd) leave() { c.n.Add(-1) }

// A jobSignal is what can be sent to a job.
type jobSignal int

const (
	sigKill jobSignal = 9
	sigTerm jobSignal = 15
)
