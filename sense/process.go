package sense

import "sync"

// A Process senses the surroundings of work done by goroutines of this process, not by
// child processes. The zero Process is ready for use, as one of [NewProcess] is. It must not be
// copied.
type Process struct {
	sampler *sampler
	guard   guard
	watches [6]watch // of guard: a Process is one object, or a part of one
}

var _ Sensor = (*Process)(nil)

// NewProcess returns the [Sensor] of this process's own work.
//
// It needs no closing and starts nothing. All sensors of the program share one reading,
// from files that the first one opens. That first call takes some hundred microseconds,
// later ones less than one.
func NewProcess() *Process { return newProcess(inside()) }

// inside samples for the goroutines of this program.
var inside = sync.OnceValue(func() *sampler { return newSampler(here(), monotonic, ownCPU, true) })

func newProcess(s *sampler) *Process {
	p := new(Process)
	p.begin(s)
	return p
}

func (p *Process) begin(s *sampler) {
	p.sampler, p.guard.watches = s, p.watches[:0]
	for i := range s.dials {
		d := &s.dials[i]
		p.guard.watch(d, d.gauge)
	}
}

// Sense returns the sample of this instant, with inFlight units running.
//
// It takes about 10 µs on Linux, or less than one if another sensor of the program has
// read within the last millisecond, and allocates nothing. It waits for sensors that
// read at the same moment. Sensors are independent of each other, but concurrent calls
// on one of them are not safe.
func (p *Process) Sense(inFlight int) Sample {
	if p.sampler == nil {
		p.begin(inside())
	}
	s := p.sampler
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	now := s.clock()
	s.refresh(now)
	sample := s.newest
	sample.Asleep = s.sched.asleep(inFlight)
	sample.Ceiling, sample.Why = p.guard.ceiling(now, inFlight)
	return sample
}
