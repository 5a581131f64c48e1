package sense

import (
	"math"
	"runtime"
	"time"
)

// A sampler reads what belongs to the process and not to one crowd of units: CPU
// time, the scheduler, and how full memory, files and processes are. All sensors of
// a kind share one, so that a thousand Limiters cost hardly more than one. It keeps
// time by the kernel's clock, also for those in a synctest bubble, and between
// readings it holds nothing but open files.
type sampler struct {
	host    *host // its mutex guards all of this
	clock   func() time.Duration
	own     func() float64
	tick    float64
	inside  bool // the work is goroutines, which GOMAXPROCS binds
	sched   scheduler
	machine machine
	dials   dials // what is read besides CPU time

	begun  bool
	at     time.Duration
	newest Sample
}

// fresh is how long a reading serves others. It is below what a kernel's CPU clocks
// resolve and a governor's shortest tick, and with 12 µs a reading bounds the cost of
// any number of sensors to 1 % of a CPU.
const fresh = time.Millisecond

func newSampler(h *host, clock func() time.Duration, own func() float64, inside bool) *sampler {
	s := &sampler{host: h, clock: clock, own: own, tick: ownTick(), inside: inside, sched: newScheduler()}
	s.machine.look(h)
	s.dials = newDials(h, &s.sched, inside)
	return s
}

// refresh brings newest and the dials up to date.
func (s *sampler) refresh(now time.Duration) {
	age := now - s.at
	rested := !s.begun || age >= rarely
	if rested || age >= fresh {
		s.begun, s.at = true, now
		s.read(now)
	}
	s.dials.refresh(now, rested)
}

// read reads what is cheap and changes all the time.
func (s *sampler) read(now time.Duration) {
	own := s.own()
	s.sched.read()
	s.newest = Sample{
		OwnCPU:   own,
		Tick:     s.tick,
		Runnable: s.sched.runnable(),
		CPUs:     s.cpus(now),
		GCCycles: s.sched.cycles(),
	}
	s.newest.MachineCPU = s.machine.used(now, own, s.newest.CPUs, s.clock)
}

// cpus returns the CPUs that the work may use.
func (s *sampler) cpus(now time.Duration) float64 {
	n := s.machine.cpus(now)
	switch {
	case s.inside:
		return min(n, float64(s.sched.procs()))
	case math.IsInf(n, 1):
		return float64(runtime.NumCPU())
	}
	return n
}
