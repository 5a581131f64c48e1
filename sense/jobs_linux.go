package sense

import (
	"math"
	"runtime"
	"time"
)

// jobMemory is the room for child processes.
type jobMemory struct {
	gauge  *memoryGauge
	family *family
	bound  bound
	blind  bool // the bound stands for want of knowledge, not of memory
}

func (m *jobMemory) why() string {
	if m.blind {
		return "memory: what a job needs is not known yet"
	}
	return m.gauge.room.why()
}

// blindNeed is what a job is taken to need while nothing is known of any, bytes.
const blindNeed = 64 << 20

func (m *jobMemory) look(_ time.Duration, peak, inFlight int) int {
	room := m.gauge.room
	if !room.ok {
		m.bound.free()
		return 0
	}
	now := m.family.holding()
	one, growth := m.family.outlook(now, inFlight)
	free := room.free - growth
	m.blind = false
	switch {
	case room.free < -room.margin/2 && now*float64(inFlight) > room.margin/2:
		m.bound.cut(peak, inFlight)
	case room.free <= 0:
		m.bound.hold(peak)
	case one == 0:
		// Nothing is known of the jobs yet, not even of the running ones: they
		// are younger than a second. The start, a job for each CPU, must have its first doubling.
		most := max(2*runtime.GOMAXPROCS(0), int(min(free/blindNeed, math.MaxInt32)))
		m.bound.held, m.bound.units, m.blind = 0, most, true
	default:
		m.bound.pace(peak, one*float64(peak), max(1, free), 0)
	}
	return m.bound.units
}

// holding returns the bytes that a running child holds on average, 0 if none
// was seen.
func (f *family) holding() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	sum, n := 0.0, 0
	for _, j := range f.order {
		if j.held > 0 {
			sum += j.held
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func (f *family) outlook(now float64, inFlight int) (one, growth float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.outlook(now, inFlight)
}
