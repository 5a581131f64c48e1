package main

import (
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

type result struct {
	NS      float64 `json:"ns"`              // of one run: the median of those after the first; the first if it was the only one
	First   float64 `json:"first,omitempty"` // of the first run, when nothing is remembered
	Loop    float64 `json:"loop,omitempty"`  // of the plain loop, measured in turn
	Mallocs float64 `json:"mallocs"`         // of one run
	Runs    int     `json:"runs"`
}

const (
	// length is how long a process goes on after its first run: with it, a
	// whole measurement of all subjects takes 20 minutes.
	length = 40 * time.Millisecond
	// mostRuns bounds the runs of one process: the next round tells more than
	// the next run does.
	mostRuns = 15
	// rest lets threads that found nothing to do park before each run. A run
	// that finds them awake, since the last one ended just now, starts 0.1 ms
	// earlier than any call of a program that does something else in between.
	rest = time.Millisecond
	// much is how many allocated bytes make it worth to collect garbage before
	// the next run, so that each pays for its own.
	much = 1 << 20
)

// measure runs a task again and again in this process.
func measure(t task, once bool) (result, error) {
	if t.loop != nil {
		return alternate(t)
	}
	var r result
	var times, mallocs []float64
	for began := time.Now(); ; {
		if t.before != nil {
			t.before()
		}
		if r.Runs == 0 {
			runtime.GC()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before) // before the rest: it wakes threads
		var err error
		if t.awake {
			err = t.run()
		} else {
			time.Sleep(rest)
		}
		start := time.Now()
		if err == nil {
			err = t.run()
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if err == nil && t.check != nil {
			err = t.check()
		}
		if err != nil {
			return r, err
		}
		if r.Runs++; r.Runs == 1 {
			r.First = float64(took)
			began = time.Now()
		} else {
			times = append(times, float64(took))
		}
		mallocs = append(mallocs, float64(after.Mallocs-before.Mallocs))
		if once || r.Runs == mostRuns || r.Runs > 1 && time.Since(began) > length || took > length {
			break
		}
		if after.TotalAlloc-before.TotalAlloc > much {
			runtime.GC()
		}
	}
	r.NS, r.Mallocs = r.First, stats.Median(mallocs)
	if len(times) > 0 {
		r.NS = stats.Median(times)
	}
	return r, nil
}

const (
	// batch is how long a batch of runs takes about: far above the clock's
	// resolution, far below the time slices of the system.
	batch = 200 * time.Microsecond
	// batches of each kind give a median that a few disturbed ones cannot move.
	batches = 60
)

// alternate measures runs that take microseconds, in batches, and as many runs
// of the loop in turn: what slows this process down slows both.
func alternate(t task) (result, error) {
	n := 1
	for {
		loop, err := timed(t.loop, n)
		if err != nil {
			return result{}, err
		}
		run, err := timed(t.run, n)
		if err != nil {
			return result{}, err
		}
		if max(loop, run) >= batch {
			break
		}
		n *= 2
	}
	var loops, runs []float64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range batches {
		kinds := []func() error{t.loop, t.run}
		for k := range kinds {
			k = (k + i) % 2 // neither is always the first
			took, err := timed(kinds[k], n)
			if err != nil {
				return result{}, err
			}
			if each := float64(took) / float64(n); k == 0 {
				loops = append(loops, each)
			} else {
				runs = append(runs, each)
			}
		}
	}
	runtime.ReadMemStats(&after)
	return result{
		NS: stats.Median(runs), Loop: stats.Median(loops), Runs: n * batches,
		Mallocs: float64(after.Mallocs-before.Mallocs) / float64(n*batches), // of both
	}, nil
}

// timed returns how long n calls of f take.
func timed(f func() error, n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}
