package jobserver

import (
	"math"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A sensor is that of run, with what run's cannot know of processes that others start: their CPU
// time, the memory of a job, and when more jobs do not help.
type sensor struct {
	sense.Sensor
	clock sense.Sensor // another, for the CPUs of the machine while the law rests
	usage func() (sense.Usage, bool)
	free  func() (free, total float64, ok bool)

	mu     sync.Mutex
	cpu    float64 // s, of all processes
	each   float64 // bytes that a job holds
	memory int     // jobs that memory allows; 0: any
	enough int     // jobs that are enough; 0: unknown

	// Of the looks:
	used float64   // CPU s, of the machine
	at   time.Time // when that was
	use  float64   // of all CPUs, smoothed; 1 before it is known
}

func newSensor() *sensor {
	c := sense.NewChildren()
	return &sensor{Sensor: c, clock: sense.NewChildren(), usage: c.Look, free: sense.FreeMemory, use: 1}
}

// Sense implements [sense.Sensor].
func (s *sensor) Sense(inFlight int) sense.Sample {
	sample := s.Sensor.Sense(inFlight)
	s.mu.Lock()
	defer s.mu.Unlock()
	sample.OwnCPU = max(sample.OwnCPU, s.cpu)
	bound := func(n int, why string) {
		if n > 0 && (sample.Ceiling == 0 || n < sample.Ceiling) {
			sample.Ceiling, sample.Why = n, why
		}
	}
	bound(s.memory, "memory is short")
	bound(s.enough, "no CPU is idle, or nothing has been done yet")
	return sample
}

// full reports whether all CPUs are busy, with whatever, and memory allows so many jobs.
func (s *sensor) full(jobs int) bool {
	return s.use >= allCPUs && (s.memory == 0 || s.memory >= jobs)
}

// suffice sets how many jobs are enough; 0 is unknown.
func (s *sensor) suffice(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enough = n
}

const (
	// allCPUs is the share of the CPUs that is all of them, but for what jobs wait for at times, and smooth the
	// time, s, over which it is measured: clocks step by 10 ms.
	allCPUs = 0.9
	smooth  = 0.3
	// forget is the share of the memory of a job that is forgotten at each look: half of a large link
	// in half a minute.
	forget = 0.001
	// larger is how much more than the mean a new job may need.
	larger = 1.5
	// spared is the share of all memory that is left free.
	spared = 1.0 / 16
)

// look reads what the processes use while so many jobs run. Looks do not run beside each other, nor beside full.
func (s *sensor) look(now time.Time, jobs int) (u sense.Usage, ok bool) {
	u, ok = s.usage()
	free, total, known := s.free()
	m := s.clock.Sense(0)
	if dt := now.Sub(s.at).Seconds(); dt > 0 && !s.at.IsZero() {
		s.use += min(dt/smooth, 1) * ((m.MachineCPU-s.used)/(dt*m.CPUs) - s.use)
	}
	s.used, s.at = m.MachineCPU, now
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cpu = max(s.cpu, u.CPU)
	s.each = max(s.each*(1-forget), u.Memory/float64(jobs))
	switch {
	case !known:
		s.memory = 0
	case ok && s.each > 0: // else it stays: one look in vain must not lift the bound
		more := math.Floor((free - spared*total) / (larger * s.each))
		s.memory = int(max(1, min(float64(jobs)+more, math.MaxInt32)))
	}
	return u, ok
}

// least returns where a search for the number of jobs of a build begins, and what it does not go below: a job
// for each CPU, and one to run while another waits for a file. Fewer never get more CPU time. Memory alone may ask for that.
func least(cpus float64) int { return int(math.Ceil(cpus)) + 1 }
