package sense

import "time"

// A threadsGauge counts the threads of the Go runtime. A unit that blocks in a system
// call or in C holds one; a Go program that needs more than 10,000 is killed by its
// own runtime. (debug.SetMaxThreads tells that number only by changing it.)
type threadsGauge struct {
	sched *scheduler
	tally
}

const (
	maxThreads = 10_000
	// spareThreads is left to the rest of the program: a tenth.
	spareThreads = maxThreads / 10
	// threadsPerUnit: a unit blocks in one call at a time; two, in case it has helpers.
	threadsPerUnit = 2
)

func newThreadsGauge(sched *scheduler) *threadsGauge {
	return &threadsGauge{sched, tally{perUnit: threadsPerUnit, what: "threads: Go ends a program that has 10,000 of them"}}
}

func (g *threadsGauge) read(time.Duration) bool {
	used := g.sched.threads()
	g.used, g.room, g.known = float64(used), float64(maxThreads-spareThreads-used), true
	return true
}
