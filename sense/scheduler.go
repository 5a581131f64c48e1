package sense

import "runtime/metrics"

// A scheduler reads the Go scheduler, and the collector beside it, through
// runtime/metrics, which costs about a microsecond and does not stop the world.
type scheduler struct {
	samples [6]metrics.Sample
}

const (
	atProcs = iota
	atRunnable
	atRunning
	atSystem
	atThreads
	atCycles
)

func newScheduler() scheduler {
	var s scheduler
	s.samples[atProcs].Name = "/sched/gomaxprocs:threads"
	s.samples[atRunnable].Name = "/sched/goroutines/runnable:goroutines"
	s.samples[atRunning].Name = "/sched/goroutines/running:goroutines"
	s.samples[atSystem].Name = "/sched/goroutines/not-in-go:goroutines"
	s.samples[atThreads].Name = "/sched/threads/total:threads"
	s.samples[atCycles].Name = "/gc/cycles/total:gc-cycles"
	return s
}

func (s *scheduler) read() { metrics.Read(s.samples[:]) }

// procs returns GOMAXPROCS, which may change while the program runs.
func (s *scheduler) procs() int { return int(count(s.samples[atProcs])) }

// runnable returns how many goroutines wait for a CPU. The runtime's gauge
// leaves running goroutines out, but its reader runs: if the CPUs are the
// bottleneck, the reader occupies one of them, and the goroutine that it
// displaced counts as waiting. With n CPU-bound goroutines on two CPUs the
// gauge says n-1 by measurement, hence one less here.
func (s *scheduler) runnable() float64 {
	n := count(s.samples[atRunnable])
	if n < 1 {
		return 0
	}
	return float64(n - 1)
}

// asleep returns the share of the given number of goroutines that must at least be waiting for a
// network, a timer or each other: all that run, want to, or are in a system call, which may wait
// for a disk, may be among the given ones. The reader runs as well. It is 0 if the runtime does not say.
func (s *scheduler) asleep(goroutines int) float64 {
	if goroutines == 0 || s.samples[atRunning].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	awake := count(s.samples[atRunning]) + count(s.samples[atRunnable]) + count(s.samples[atSystem])
	return max(0, 1-max(0, float64(awake)-1)/float64(goroutines))
}

func (s *scheduler) threads() int { return int(count(s.samples[atThreads])) }

func (s *scheduler) cycles() int64 { return int64(count(s.samples[atCycles])) }

// count returns the value of a sample, or 0 where this runtime has no such
// metric.
func count(s metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}
