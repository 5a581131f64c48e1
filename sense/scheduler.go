package sense

import "runtime/metrics"

// A scheduler reads the Go scheduler, and the collector beside it, through
// runtime/metrics, which costs about a microsecond and does not stop the world.
type scheduler struct {
	samples [4]metrics.Sample
}

const (
	atProcs = iota
	atRunnable
	atThreads
	atCycles
)

func newScheduler() scheduler {
	var s scheduler
	s.samples[atProcs].Name = "/sched/gomaxprocs:threads"
	s.samples[atRunnable].Name = "/sched/goroutines/runnable:goroutines"
	s.samples[atThreads].Name = "/sched/threads/total:threads"
	s.samples[atCycles].Name = "/gc/cycles/total:gc-cycles"
	return s
}

func (s *scheduler) read() { metrics.Read(s.samples[:]) }

// procs returns GOMAXPROCS, which may change while the program runs.
func (s *scheduler) procs() int { return int(count(s.samples[atProcs])) }

// runnable returns how many goroutines wait for a CPU. The runtime's gauge
// leaves running goroutines out, but whoever reads it runs: where the CPUs are
// the bottleneck the reader sits on one of them, and the goroutine it displaced
// is counted as waiting. Measured with n CPU-bound goroutines on two CPUs the
// gauge says n-1, hence one less here.
func (s *scheduler) runnable() float64 {
	n := count(s.samples[atRunnable])
	if n < 1 {
		return 0
	}
	return float64(n - 1)
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
