package loop

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// loops are all of the process. Beside the sampler of their sensors it is the
// only state that they share.
var loops company.Company

// A meter makes the readings of a loop. Their totals leave out idle stretches and
// standstills.
type meter struct {
	plant   *plant
	sensor  sense.Sensor
	process sense.Process // the sensor if none is given
	others  company.Member

	r      control.Reading // the newest
	last   time.Duration   // when that was, on the plant's clock
	seen   limit.Counters  // then
	weight int64           // of the turns completed then; may wrap
	ended  int64           // turns that had ended in any way at the newest look
	env    sense.Sample    // the newest
	sensed bool            // env is valid

	refusals refusals
}

func (m *meter) init(p *plant, c *Config) {
	m.plant, m.sensor, m.others = p, c.Sensor, loops.Join(c.Outside)
	if law, ok := c.Controller.(control.LatencyReader); ok && law.LateAfter() > 0 {
		p.residence.lateAfter = law.LateAfter().Seconds()
		p.residence.latencies, m.r.Latencies = new(control.Histogram), new(control.Histogram)
	}
}

// resume begins to measure after a rest.
func (m *meter) resume() {
	m.last = m.plant.clock()
	m.seen = m.plant.sem.Counters()
	if m.sensed {
		// Not at the first time: making a sensor and reading all that it can
		// takes some 50 µs, longer than many a Loop is in use. The controller is
		// first asked at the first tick, so none of its windows misses the CPU
		// time before.
		m.env = m.sense(m.seen.InFlight)
	}
	m.others.Wake()
}

func (m *meter) sense(inFlight int) sense.Sample {
	if m.sensor == nil {
		// One for each Loop: what a sensor knows of memory and threads depends on the
		// number in flight that it is given.
		m.sensor = &m.process
	}
	s := m.sensor.Sense(inFlight)
	// A user's sensor may return NaN or infinity, which would spoil the totals for good, and
	// what shows Stats as JSON.
	for _, f := range []struct {
		now    *float64
		before float64
	}{{&s.OwnCPU, m.env.OwnCPU}, {&s.MachineCPU, m.env.MachineCPU}, {&s.Runnable, 0},
		{&s.CPUs, m.env.CPUs}, {&s.Tick, m.env.Tick}, {&s.Asleep, 0}} {
		if math.IsNaN(*f.now) || math.IsInf(*f.now, 0) {
			*f.now = f.before
		}
	}
	return s
}

// busy reports whether there is work in flight, or was since the last look.
func (m *meter) busy(c limit.Counters) bool {
	ended := m.plant.ended(c)
	busy := c.InFlight > 0 || c.Waiting > 0 || ended != m.ended
	m.ended = ended
	return busy
}

// read brings the reading up to date, but for its bounds. Before it, busy looked at the same
// counters, at now. The time from the last reading to this one was planned to be due.
func (m *meter) read(now time.Duration, c limit.Counters, due time.Duration) {
	p, r := m.plant, &m.r
	env := m.sense(c.InFlight)
	if !m.sensed {
		m.env, m.sensed = env, true
	}
	span, bound := now-m.last, c.Bound-m.seen.Bound
	if stood := standstill(span, due, env.OwnCPU-m.env.OwnCPU); stood > 0 {
		span -= stood
		bound = min(bound, span)
		m.env.MachineCPU = env.MachineCPU - (env.OwnCPU - m.env.OwnCPU) // nothing of what others did
		p.residence.stoodStill(now)
	}
	dt := span.Seconds()
	r.At += span
	r.Limit, r.InFlight, r.Waiting = c.Limit, c.InFlight, c.Waiting
	r.Completed = c.Completed
	// Between the two looks a weight of 0 may have been taken off whose unit is
	// not counted here; but totals only grow. The difference is right also where the sum
	// has wrapped.
	if sum := p.weight(c); sum-m.weight > 0 {
		r.Units += float64(sum - m.weight)
		m.weight = sum
	}
	overloads, failed := p.overloadedTurns()
	r.Overloads = overloads
	// The rest of the turns. One that was overloaded in part counts as done as well, so that
	// part is none of those that failed.
	r.Ignored = max(r.Ignored, m.ended-c.Completed-failed)
	s := p.residence.read(r.Latencies)
	r.Timed, r.Residence, r.Residence2, r.Late = s.timed, s.residence, s.residence2, s.late
	r.TimedSince, r.ResidenceSince = s.timedSince, s.residenceSince
	r.Occupancy += dt * float64(m.seen.InFlight+c.InFlight) / 2
	if m.refusals.see(dt, m.ended+int64(c.InFlight), p.refused.Load(), c) {
		bound, r.Waiting = span, max(1, r.Waiting)
	}
	r.Bound += bound.Seconds()
	r.OwnCPU += max(0, env.OwnCPU-m.env.OwnCPU)
	r.MachineCPU += max(0, env.MachineCPU-m.env.MachineCPU)
	r.Runnable += dt * env.Runnable
	r.CPUs, r.Tick, r.Asleep = env.CPUs, env.Tick, env.Asleep
	r.Collections = env.GCCycles
	m.last, m.seen, m.env = now, c, env
	m.others.Observe(r)
}

// setLimit puts n in force if it is not, and takes note of those who waited and are now
// admitted.
func (m *meter) setLimit(n int) {
	if n != m.plant.sem.Limit() {
		m.plant.setLimit(n)
		m.seen.InFlight = m.plant.sem.Counters().InFlight
	}
}
