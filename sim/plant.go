package sim

import (
	"math"
	"math/rand/v2"
)

// A plant is the simulated machine with its units of work: a closed network
// (or an open one with arrivals) of a delay, a first come, first served queue
// with several servers, and cores that the ready units share equally.
//
// It has three clocks. now is real time. work is the work done by a unit that
// is never held up: it runs at the global speed, noise over slowdown, so that
// a change of that speed moves no entry of a heap. share is the work done by
// each unit that computes; it runs slower than work when there are more such
// units than cores.
type plant struct {
	phase *Phase
	cores float64
	noise float64
	limit int

	now, work, share float64
	delayed          endings      // waits and services, by work
	computing        endings      // by share
	queued           queue[int32] // for a server
	serving          int
	inFlight         int
	waiting          int     // arrived, no permit yet (open systems)
	arrival          float64 // time of the next arrival; +Inf in closed systems

	units slab[unit]

	slow               slowness
	wait, service, cpu sampler
	patch              *noise // of the sizes of units; nil: all are alike
	draws              streams
	drawn              [3]tally // of the wait, service and CPU times drawn

	count account // OwnCPU (core seconds) and Occupancy are exact; sensors see less

	door *door // where units are turned away; nil: all wait
}

// A unit is one piece of work in flight.
type unit struct {
	begun float64
	size  float64 // multiple of the times drawn
	epoch int32
	stage stage

	arrived float64 // if there is a door
}

type stage uint8

const (
	stageWait stage = iota
	stageService
	stageCPU
)

// A tally is what was drawn from a distribution: the ground truth for tests.
type tally struct {
	n   int64
	sum float64
}

// streams are the independent sources of randomness of a run. Each has its own
// generator, so that two controllers on the same seed meet the same sequence
// of times in each, and the same noise.
type streams struct {
	wait, service, cpu, arrival, noise, patch *rand.Rand
}

func newStreams(seed uint64) streams {
	stream := func(i uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, i)) }
	return streams{stream(1), stream(2), stream(3), stream(4), stream(5), stream(6)}
}

// newPlant returns a plant in its first phase, idle until begin.
func newPlant(seed uint64, limit int) *plant {
	return &plant{noise: 1, limit: limit, arrival: math.Inf(1), draws: newStreams(seed)}
}

// enter changes the parameters. Units keep the times that they have already
// drawn; if the servers got fewer, those at work finish.
func (p *plant) enter(ph *Phase, cpus int) {
	wasOpen := p.phase != nil && p.phase.Arrivals > 0
	sameRate := wasOpen && p.phase.Arrivals == ph.Arrivals
	p.phase, p.cores = ph, ph.cores(cpus)
	p.wait, p.service, p.cpu = newSampler(ph.Wait), newSampler(ph.Service), newSampler(ph.CPU)
	p.slow = slowness{curve: ph.Slow}
	if ph.Servers == 0 {
		for p.queued.n > 0 { // the queue is gone
			p.compute(p.queued.pop())
		}
	}
	p.serveQueued()
	switch {
	case ph.Arrivals == 0:
		p.arrival, p.waiting = math.Inf(1), 0
	case !sameRate: // the Poisson process has no memory: draw afresh
		p.arrival = p.now + p.draws.arrival.ExpFloat64()/ph.Arrivals
	}
	p.admit()
}

// setLimit changes the limit; units above it finish.
func (p *plant) setLimit(n int) {
	if n == p.limit {
		return
	}
	p.limit = n
	p.count.resized()
	p.admit()
}

// advance runs the plant up to a time.
func (p *plant) advance(to float64) {
	const (
		none = iota
		delayEnds
		cpuEnds
		arrives
	)
	for {
		speed := p.noise / p.slow.of(p.inFlight)
		ready := float64(len(p.computing))
		busy := min(ready, p.cores)
		each := speed
		if ready > busy {
			each = speed * busy / ready
		}
		next, what := to, none
		if len(p.delayed) > 0 {
			if t := p.now + (p.delayed[0].key-p.work)/speed; t < next {
				next, what = t, delayEnds
			}
		}
		if len(p.computing) > 0 {
			if t := p.now + (p.computing[0].key-p.share)/each; t < next {
				next, what = t, cpuEnds
			}
		}
		if p.arrival < next {
			next, what = p.arrival, arrives
		}
		if dt := next - p.now; dt > 0 {
			p.now = next
			p.work += speed * dt
			p.share += each * dt
			p.count.OwnCPU += busy * dt
			p.count.Occupancy += float64(p.inFlight) * dt
			if p.phase.Arrivals == 0 || p.waiting > 0 {
				p.count.Bound += dt
			}
		}
		switch what {
		case none:
			return
		case delayEnds:
			p.endDelay()
		case cpuEnds:
			p.complete(p.computing.pop().unit)
		case arrives:
			p.arrival += p.draws.arrival.ExpFloat64() / p.phase.Arrivals
			if p.door.opens(p) {
				p.waiting++
				p.admit()
			}
		}
	}
}

// admit begins units until the limit is reached or nothing waits.
func (p *plant) admit() {
	for p.inFlight < p.limit {
		if p.phase.Arrivals > 0 {
			if p.waiting == 0 {
				return
			}
			p.waiting--
		}
		p.begin()
	}
}

func (p *plant) begin() {
	p.inFlight++
	c := unit{begun: p.now, size: 1, epoch: p.count.epoch, stage: stageWait}
	if p.patch != nil {
		c.size = p.patch.next()
	}
	if p.door != nil {
		c.arrived = p.door.arrivals.pop()
	}
	u := p.units.add(c)
	if p.wait.kind == Absent {
		p.serve(u)
		return
	}
	d := p.wait.draw(p.draws.wait)
	p.drawn[stageWait].add(d)
	p.delayed.push(ending{p.work + d*p.units.at[u].size, u})
}

// endDelay ends the wait or the service that is due.
func (p *plant) endDelay() {
	u := p.delayed.pop().unit
	if p.units.at[u].stage == stageWait {
		p.serve(u)
		return
	}
	p.serving--
	p.serveQueued()
	p.compute(u)
}

// serve gives the unit a server or lets it queue.
func (p *plant) serve(u int32) {
	switch {
	case p.phase.Servers == 0:
		p.compute(u)
	case p.serving < p.phase.Servers:
		d := p.service.draw(p.draws.service)
		p.drawn[stageService].add(d)
		p.serving++
		p.units.at[u].stage = stageService
		p.delayed.push(ending{p.work + d*p.units.at[u].size, u})
	default:
		p.queued.push(u)
	}
}

// serveQueued gives free servers to those who queue.
func (p *plant) serveQueued() {
	for p.queued.n > 0 && p.serving < p.phase.Servers {
		p.serve(p.queued.pop())
	}
}

// compute lets the unit share the cores.
func (p *plant) compute(u int32) {
	if p.cpu.kind == Absent {
		p.complete(u)
		return
	}
	d := p.cpu.draw(p.draws.cpu)
	p.drawn[stageCPU].add(d)
	p.units.at[u].stage = stageCPU
	p.computing.push(ending{p.share + d*p.units.at[u].size, u})
}

// complete ends a unit; the next one may begin.
func (p *plant) complete(u int32) {
	c := &p.units.at[u]
	p.count.completed(p.now-c.begun, c.epoch)
	if p.door != nil {
		p.door.leave(p.now - c.arrived)
	}
	p.inFlight--
	p.units.remove(u)
	p.admit()
}

// runnable returns how many units are ready to compute but have no core.
func (p *plant) runnable() float64 {
	return max(0, float64(len(p.computing))-p.cores)
}

func (t *tally) add(d float64) { t.n++; t.sum += d }
