package jobserver

import (
	"math"
	"sync"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A sensor is that of run, but for what it cannot know of processes that others start: their CPU
// time, and the memory of a job.
type sensor struct {
	*sense.Children
	free func() (free, total float64, ok bool)

	mu      sync.Mutex
	cpu     float64 // s, of all processes
	each    float64 // bytes that a job holds
	ceiling int     // jobs that memory allows; 0: any
}

func newSensor() *sensor { return &sensor{Children: sense.NewChildren(), free: sense.FreeMemory} }

// Sense implements [sense.Sensor].
func (s *sensor) Sense(inFlight int) sense.Sample {
	sample := s.Children.Sense(inFlight)
	s.mu.Lock()
	defer s.mu.Unlock()
	sample.OwnCPU = max(sample.OwnCPU, s.cpu)
	if s.ceiling > 0 && (sample.Ceiling == 0 || s.ceiling < sample.Ceiling) {
		sample.Ceiling, sample.Why = s.ceiling, "memory is short"
	}
	return sample
}

const (
	// forget is the share of the memory of a job that is forgotten at each look: half of a large link
	// in half a minute.
	forget = 0.001
	// larger is how much more than the mean a new job may need.
	larger = 1.5
	// spared is the share of all memory that is left free.
	spared = 1.0 / 16
)

// look reads what the processes use while so many jobs run.
func (s *sensor) look(jobs int) (u sense.Usage, ok bool) {
	u, ok = s.Look()
	free, total, known := s.free()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cpu = max(s.cpu, u.CPU)
	s.each = max(s.each*(1-forget), u.Memory/float64(jobs))
	s.ceiling = 0
	if known && ok && s.each > 0 {
		more := math.Floor((free - spared*total) / (larger * s.each))
		s.ceiling = int(max(1, min(float64(jobs)+more, math.MaxInt32)))
	}
	return u, ok
}
