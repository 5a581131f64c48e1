package pitfalls

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// byHand is GOMAXPROCS(NumCPU()) beside what the runtime would take or, where that
// is no less, beside good. It is a work only where the CPUs that the process may
// use are limited by a quota: then the kernel stops all of its threads once they
// have used up the quota of a period. What is measured is the 99th percentile of
// how long a task of a millisecond takes while all are busy.
func byHand(good int) pitfall {
	return pitfall{"maxprocs", "99th percentile of a task of 1 ms", "", 2000, func(n int) []form {
		under := func(set func()) form {
			with := func(f func()) {
				was := runtime.GOMAXPROCS(0)
				set()
				f()
				runtime.GOMAXPROCS(was)
			}
			return form{
				run:    func() (tasks int) { with(func() { tasks = len(busyTasks(n)) }); return tasks },
				figure: func() (p99 float64) { with(func() { p99 = percentile99(busyTasks(n)) }); return p99 },
			}
		}
		bad, fixed := under(maxProcsByHand), under(runtime.SetDefaultGOMAXPROCS)
		bad.name, fixed.name = "GOMAXPROCS(NumCPU())", "the runtime's choice"
		if good > 0 {
			fixed = under(func() { runtime.GOMAXPROCS(good) })
			fixed.name = "GOMAXPROCS as large as the quota"
		}
		return []form{bad, fixed}
	}}
}

func maxProcsByHand() {
	runtime.GOMAXPROCS(runtime.NumCPU())
}

// busyTasks runs n tasks as fast as it can, and returns how long each took.
func busyTasks(n int) []time.Duration {
	took := make([]time.Duration, n)
	workers := procs()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				began := time.Now()
				computed.Add(compute(1 << 20))
				took[i] = time.Since(began)
			}
		})
	}
	wg.Wait()
	return took
}

// computed keeps the compiler from leaving the tasks out.
var computed atomic.Uint64

// compute takes about a nanosecond for each of n turns, as each needs the result of
// the one before.
func compute(n int) uint64 {
	x := uint64(1)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func percentile99(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)*99/100])
}
