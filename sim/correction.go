package sim

import (
	"math"
	"slices"
)

// The product form is exact only where service times are exponential, or where
// nobody queues for a server. Against long simulations it is within 0.5 % for
// every scenario of this package, but off by up to 8 % for a single server
// with very uneven times and much to do elsewhere. Where it may be off, it is
// corrected by simulation.

// A correction is the ratio of simulated throughput to the product form's, at
// some numbers in flight. Between them it is interpolated; below the first it
// is 1, above the last it stays.
type correction struct {
	at    []int
	ratio []float64
}

const (
	correctionSeed  = 1
	correctionWarm  = 10_000 // units completed before the measurement
	correctionUnits = 40_000 // units measured: 0.5 % at a coefficient of variation of 1, before the control variate
)

// needsCorrection says whether the service times can matter: they are not
// exponential, and either the servers are few and the units have something
// else to do (the error falls with the number of servers: 0.8 % at 16), or the
// servers and the cores saturate together (still 2 % at 200).
func needsCorrection(p *Phase, cores float64) bool {
	if p.Service.Kind == Absent || p.Service.Kind == Exponential {
		return false
	}
	elsewhere := (p.Wait.Mean() + p.CPU.Mean()) / p.Service.Mean()
	balance := float64(p.Servers) / p.Service.Mean() * p.CPU.Mean() / cores
	return p.Servers <= 64 && elsewhere > 0.1 || p.Servers <= 1024 && balance > 0.5 && balance < 2
}

// newCorrection simulates the phase at numbers in flight that lie ever further
// above the number of servers, up to saturation. Each result is compared with
// the product form for the mean times that were really drawn: that takes most
// of the noise out.
func newCorrection(p Phase, cpus int, table []float64, capacity float64) correction {
	p.Slow, p.Arrivals = Curve{}, 0
	cores := p.cores(cpus)
	c := correction{at: []int{p.Servers}, ratio: []float64{1}}
	for above := 1; p.Servers+above <= len(table); above += 1 + above/4 {
		n := p.Servers + above
		m := measure(&p, cpus, n, correctionSeed, table[n-1], max(correctionWarm, 5*int64(n)), max(correctionUnits, 20*int64(n)))
		expected := productForm(m.drawn[stageWait], m.drawn[stageService], p.Servers, m.drawn[stageCPU], cores, n)
		c.at = append(c.at, n)
		c.ratio = append(c.ratio, m.rate/expected[len(expected)-1])
		if table[n-1] > 0.9995*capacity || above > 1000 {
			break
		}
	}
	return c
}

func (c correction) of(n int) float64 {
	last := len(c.at) - 1
	switch {
	case last < 0 || n <= c.at[0]:
		return 1
	case n >= c.at[last]:
		return c.ratio[last]
	}
	i, _ := slices.BinarySearch(c.at, n)
	lo, hi := float64(c.at[i-1]), float64(c.at[i])
	w := (float64(n) - lo) / (hi - lo)
	return c.ratio[i-1] + w*(c.ratio[i]-c.ratio[i-1])
}

// measured is what a plant did with a fixed number of units in flight.
type measured struct {
	seconds  float64
	from, to account    // at the beginning of that time, and at its end
	rate     float64    // completed per second
	drawn    [3]float64 // mean wait, service and CPU time drawn; 0 if absent
}

// measure simulates p without noise and with n units in flight, first until
// warm units have completed, then until count more have. guess is the expected
// throughput; it only sets the step.
func measure(p *Phase, cpus, n int, seed uint64, guess float64, warm, count int64) measured {
	pl := newPlant(seed, n)
	pl.enter(p, cpus)
	until := func(done int64) {
		for pl.count.Completed < done {
			pl.advance(pl.now + math.Max(float64(done-pl.count.Completed), 1)/guess)
		}
	}
	until(warm)
	from, at, drawn := pl.count, pl.now, pl.drawn
	until(from.Completed + count)
	m := measured{seconds: pl.now - at, from: from, to: pl.count}
	m.rate = float64(m.to.Completed-from.Completed) / m.seconds
	for k := range drawn {
		if d := pl.drawn[k].n - drawn[k].n; d > 0 {
			m.drawn[k] = (pl.drawn[k].sum - drawn[k].sum) / float64(d)
		}
	}
	return m
}
