package sim

import (
	"cmp"
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// sensors see the plant as the governor sees real work, with the resolution
// of its sources: the CPU totals are whole clock ticks, as a kernel counts
// them, and what is only known at an instant (units in flight, units ready but
// without a core) is sampled once a tick of the loop.
type sensors struct {
	inFlight   int // at the newest sample
	occupancy  float64
	runnable   float64
	machineCPU float64
}

func (s *sensors) sample(p *plant) {
	s.occupancy += tick * float64(s.inFlight+p.inFlight) / 2
	s.inFlight = p.inFlight
	s.runnable += tick * p.runnable()
	s.machineCPU += tick * p.phase.Load
}

// reading returns what a controller gets to see.
func (s *sensors) reading(p *plant, sc *Scenario, at time.Duration) control.Reading {
	r := p.count.Reading
	r.At, r.Limit, r.Min, r.Max = at, p.limit, 1, MaxLimit
	r.InFlight, r.Waiting = p.inFlight, p.waiting
	if p.phase.Arrivals == 0 {
		r.Waiting = 1 // somebody always waits: the producer
	}
	r.Units, r.Timed = float64(r.Completed), r.Completed
	r.Occupancy, r.Runnable = s.occupancy, s.runnable
	r.OwnCPU = wholeTicks((1-sc.Theirs)*p.count.OwnCPU, cmp.Or(sc.Tick, clockTick))
	r.MachineCPU = max(r.OwnCPU, wholeTicks(p.count.OwnCPU+s.machineCPU, clockTick))
	r.Tick, r.CPUs = sc.Tick, float64(sc.P)
	return r
}

// clockTick is the kernel's unit of CPU time, s (USER_HZ is 100 on Linux).
const clockTick = 0.01

// wholeTicks rounds a running total down to ticks. The error of a difference of
// two readings has mean 0 and a standard deviation of 0.41 ticks.
func wholeTicks(seconds, tick float64) float64 {
	return math.Floor(seconds/tick+1e-6) * tick
}
