package sense

import "time"

// NewProcessAt returns a Process on the machine whose files are below root,
// with a clock and own CPU seconds of the test's choice.
func NewProcessAt(root string, clock func() time.Duration, own func() float64) *Process {
	return newProcess(newSampler(newHost(root), clock, own, true))
}

// Another returns one more sensor beside p.
func (p *Process) Another() *Process { return newProcess(p.sampler) }

// Beside returns the sensor of child processes on the host of p.
func (p *Process) Beside() *Children {
	return newChildren(newSampler(p.sampler.host, p.sampler.clock, p.sampler.own, false))
}

// Fresh is how long a reading serves other sensors.
const Fresh = fresh

// NewChildrenAt is NewProcessAt for Children.
func NewChildrenAt(root string, clock func() time.Duration, own func() float64) *Children {
	return newChildren(newSampler(newHost(root), clock, own, false))
}

// Pace, Hold and Cut drive a bound.
type Bound = bound

func (b *bound) Pace(peak int, used, room, least float64) int {
	b.pace(peak, used, room, least)
	return b.units
}

func (b *bound) Hold(peak int) int {
	b.hold(peak)
	return b.units
}

func (b *bound) Cut(peak, inFlight int) int {
	b.cut(peak, inFlight)
	return b.units
}

// A Crowd remembers a peak.
type Crowd = crowd

func (c *crowd) Peak(now time.Duration, inFlight int) int { return c.peak(now, inFlight) }

// Scope is scope.
type Scope = scope

func (s *scope) Taken(own, delta, spare, slack float64) float64 {
	return s.taken(own, delta, spare, slack)
}

// HeapVerdict judges a heap whose live part and collector share are given.
type HeapVerdict struct{ b bound }

func (v *HeapVerdict) Judge(live, share float64, peak, inFlight int) int {
	h := heapGauge{live: live, share: share, ok: true}
	h.look(&v.b, 0, peak, inFlight)
	return v.b.units
}

var (
	Number  = number
	Value   = value
	OwnPeak = ownPeak
	OwnCPU  = ownCPU
)
