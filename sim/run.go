package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// ticksPerPoint is how many ticks a point of the trace covers: 100 ms.
const ticksPerPoint = 10

// Run lets c control the limit of a simulated machine with work, and scores
// it. The limit starts at the number of CPUs. Every 10 ms of virtual time, or
// later if c asked for later, c gets a reading; its limit takes effect at
// once. The outcome depends on s, seed and c alone.
//
// The error says what is wrong with the scenario. Run takes about 0.1 µs of
// real time for each event of the simulation, and never waits.
func Run(s Scenario, seed uint64, c control.Controller) (*Result, error) {
	r, err := newRun(s, seed, c)
	if err != nil {
		return nil, err
	}
	r.play(c)
	return r.finish(), nil
}

func newRun(s Scenario, seed uint64, c control.Controller) (*run, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("sim: the controller is nil")
	}
	r := &run{scenario: &s, plant: newPlant(seed, s.P), phase: -1}
	r.plant.count.watch(c)
	r.sensors.inFlight = s.P // they start at once, unless they have to arrive
	if s.Phases[0].Arrivals > 0 {
		r.sensors.inFlight = 0
	}
	r.noise = newNoise(s.Noise, s.NoiseTime/tick, r.plant.draws.noise)
	if s.Patches > 0 {
		r.plant.patch = newNoise(s.Patches, s.PatchSize, r.plant.draws.patch)
	}
	ticks := int(math.Round(s.Seconds / tick))
	r.steps = make([]step, 0, ticks)
	r.result.Trace = make([]Point, 0, ticks/ticksPerPoint+1)
	return r, nil
}

// play runs the simulation, with c in the loop.
func (r *run) play(c control.Controller) {
	s := r.scenario
	var ask time.Duration
	for i := range cap(r.steps) {
		at := time.Duration(i) * 10 * time.Millisecond
		r.enter(s.phaseAt(at.Seconds()))
		if i > 0 {
			r.sensors.sample(r.plant)
			if at >= ask {
				d := c.Next(r.sensors.reading(r.plant, s, at))
				ask = at + min(max(d.After, 0), math.MaxInt64-at)
				r.decide(at, d)
			}
		}
		r.plant.noise = r.noise.next()
		r.step()
		r.plant.advance((at + 10*time.Millisecond).Seconds())
		if (i+1)%ticksPerPoint == 0 {
			r.point((at + 10*time.Millisecond).Seconds())
		}
	}
}

type run struct {
	scenario *Scenario
	plant    *plant
	noise    *noise
	sensors  sensors
	phase    int
	truth    *truth
	steps    []step
	result   Result
	lastDone int64 // at the last point of the trace
	lastCPU  float64
}

// A step is one tick as the score sees it.
type step struct {
	limit, nstar int
	x, best      float64 // throughput at limit and at nstar
	phase        int
}

// enter starts a phase, when it is not the one in force.
func (r *run) enter(phase int) {
	if phase == r.phase {
		return
	}
	r.phase = phase
	ph := &r.scenario.Phases[phase]
	r.truth = truthOf(ph, r.scenario.P)
	if d := r.plant.door; d != nil {
		d.usual = usual(ph)
		d.good = goodWithin * d.usual
	}
	r.plant.enter(ph, r.scenario.P)
}

func (r *run) decide(at time.Duration, d control.Decision) {
	from, to := r.plant.limit, min(max(d.Limit, 1), MaxLimit)
	if to == from {
		return
	}
	r.result.Changes = append(r.result.Changes, Change{At: at.Seconds(), From: from, To: to, Reason: d.Reason})
	r.plant.setLimit(to)
}

func (r *run) step() {
	r.steps = append(r.steps, step{
		limit: r.plant.limit, nstar: r.truth.nstar,
		x: r.truth.throughput(r.plant.limit), best: r.truth.best,
		phase: r.phase,
	})
}

func (r *run) point(at float64) {
	const span = ticksPerPoint * tick
	last := r.steps[len(r.steps)-1]
	c := &r.plant.count
	r.result.Trace = append(r.result.Trace, Point{
		At: at, X: last.x, XBest: last.best,
		Limit: last.limit, InFlight: r.plant.inFlight, NStar: last.nstar,
		Rate:  float64(c.Completed-r.lastDone) / span,
		Usage: (c.OwnCPU - r.lastCPU) / (span * float64(r.scenario.P)),
	})
	r.lastDone, r.lastCPU = c.Completed, c.OwnCPU
}

func (r *run) finish() *Result {
	res := &r.result
	res.NStar = r.steps[0].nstar
	res.Completed = r.plant.count.Completed
	res.score(r.steps)
	return res
}
