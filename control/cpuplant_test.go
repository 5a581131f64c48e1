package control_test

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A cpuPlant is work of which only the CPU usage is known: enough for laws
// that look at nothing else.
type cpuPlant struct {
	cpus float64
	// busy returns the CPUs in use at a limit.
	busy func(limit int, at time.Duration) float64
	// demand is how many units there are to run; 0 means no end of them.
	demand int
}

// cpuBound is work whose units use one CPU each, as long as there are some.
func cpuBound(cpus int) cpuPlant {
	return cpuPlant{cpus: float64(cpus), busy: func(limit int, _ time.Duration) float64 {
		return float64(min(limit, cpus))
	}}
}

// run closes the loop for a while, with a reading every 10 ms. It returns the
// limit in force at each reading.
func (p cpuPlant) run(c control.Controller, limit int, d time.Duration) []int {
	const tick = 10 * time.Millisecond
	var limits []int
	r := control.Reading{Limit: limit, CPUs: p.cpus}
	for r.At < d {
		r.InFlight, r.Waiting = p.admit(r.Limit)
		r.Limit = c.Next(r).Limit
		limits = append(limits, r.Limit)
		inFlight, _ := p.admit(r.Limit)
		used := p.busy(inFlight, r.At) * tick.Seconds()
		r.At += tick
		r.OwnCPU += used
		r.MachineCPU += used
	}
	return limits
}

// admit returns how many units run and how many wait at a limit.
func (p cpuPlant) admit(limit int) (running, waiting int) {
	if p.demand == 0 {
		return limit, 1
	}
	return min(limit, p.demand), max(0, p.demand-limit)
}

// lastThird returns the mean of the last third of the limits.
func lastThird(limits []int) float64 {
	tail := limits[2*len(limits)/3:]
	sum := 0
	for _, n := range tail {
		sum += n
	}
	return float64(sum) / float64(len(tail))
}
