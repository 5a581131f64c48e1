package sense

import "time"

// threads are the threads of the Go runtime. A unit that blocks in a system
// call or in C holds one; a Go program that needs more than 10,000 is killed by
// its own runtime. (debug.SetMaxThreads can change that number but not tell
// it.)
type threads struct {
	sched *scheduler
	bound bound
}

const (
	maxThreads = 10_000
	// spareThreads is left to the rest of the program: a tenth.
	spareThreads = maxThreads / 10
)

func (*threads) why() string { return "threads: Go ends a program that has 10,000 of them" }

func (t *threads) look(_ time.Duration, peak, _ int) int {
	used := t.sched.threads()
	// A unit blocks in one call at a time; two, in case it has helpers.
	t.bound.pace(peak, float64(used), float64(maxThreads-spareThreads-used), 2)
	return t.bound.units
}
