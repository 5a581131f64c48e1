package control_test

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A fluid is work without chance, as a law sees it: units flow at a rate that
// depends on how many are in flight. It is quick, and what a law does with it
// can be foretold.
type fluid struct {
	cpus float64
	// rate returns units per second with n in flight.
	rate func(n int, at time.Duration) float64
	cpu  float64 // CPU seconds a unit takes
	// demand returns how many units want to run; nil means no end of them.
	demand func(at time.Duration) int
	// edit changes a reading before the law sees it.
	edit func(*control.Reading)
	// see looks at each decision.
	see func(control.Reading, control.Decision)

	r     control.Reading
	done  float64
	since float64 // s since the limit changed
}

// fluidCV2 is the dispersion of the residence that a fluid pretends.
const fluidCV2 = 0.5

const fluidTick = 10 * time.Millisecond

// server is work that a server takes k of at a time, each for so long.
func server(k int, each time.Duration) func(int, time.Duration) float64 {
	return func(n int, _ time.Duration) float64 { return float64(min(n, k)) / each.Seconds() }
}

// run closes the loop until a time, from a limit at the first call.
func (p *fluid) run(c control.Controller, limit int, until time.Duration) {
	r := &p.r
	if r.Limit == 0 {
		r.Limit, r.Min, r.Max = limit, 1, 100_000
	}
	for r.At < until {
		p.tick(c)
	}
}

// tick asks the law, as the governor does, and lets 10 ms pass.
func (p *fluid) tick(c control.Controller) {
	r := &p.r
	r.CPUs = p.cpus
	if p.edit != nil {
		p.edit(r)
	}
	d := c.Next(*r)
	if p.see != nil {
		p.see(*r, d)
	}
	n := d.Limit
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	if n = max(n, r.Min, 1); n != r.Limit {
		r.Limit, r.TimedSince, r.ResidenceSince, p.since = n, 0, 0, 0
	}
	p.flow()
}

func (p *fluid) flow() {
	r := &p.r
	dt := fluidTick.Seconds()
	r.InFlight, r.Waiting = r.Limit, 1
	if p.demand != nil {
		want := p.demand(r.At)
		r.InFlight, r.Waiting = min(r.Limit, want), max(0, want-r.Limit)
	}
	x := p.rate(r.InFlight, r.At)
	p.done += x * dt
	p.since += dt
	r.At += fluidTick
	r.Occupancy += float64(r.InFlight) * dt
	if r.InFlight >= r.Limit {
		r.Bound += dt
	}
	r.OwnCPU += x * p.cpu * dt
	r.MachineCPU += x * p.cpu * dt
	new := int64(p.done) - r.Completed
	if new == 0 {
		return
	}
	residence := float64(r.InFlight) / x
	r.Completed += new
	r.Units = float64(r.Completed)
	r.Timed = r.Completed
	r.Residence += float64(new) * residence
	r.Residence2 += float64(new) * residence * residence * (1 + fluidCV2)
	if p.since > residence {
		r.TimedSince += new
		r.ResidenceSince += float64(new) * residence
	}
}

// sweep is what one wants to know of a run of limits.
type sweep struct{ least, most int }

func newSweep() *sweep { return &sweep{least: math.MaxInt} }

func (s *sweep) see(_ control.Reading, d control.Decision) {
	s.least, s.most = min(s.least, d.Limit), max(s.most, d.Limit)
}
