package sim

import (
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot/control"
)

// Measured is what a plant did with a fixed number of units in flight.
type Measured struct {
	Seconds   float64
	Completed int64
	Rate      float64 // completed per second
	Occupancy float64 // mean in flight
	Residence float64 // mean, s
	CPU       float64 // mean cores busy
	Bound     float64 // share of the time
	Expected  float64 // the truth, for the mean times that were really drawn
}

// Measure runs phase i of s, without noise, with n units in flight: first
// until warm units are completed, then until count more are.
func Measure(s Scenario, i, n int, seed uint64, warm, count int64) Measured {
	p := s.Phases[i]
	t := truthOf(&p, s.P)
	m := measure(&p, s.P, n, seed, t.throughput(n), warm, count)
	form := func(wait, service, cpu float64) float64 {
		x := productForm(wait, service, p.Servers, cpu, p.cores(s.P), n)
		return x[len(x)-1]
	}
	a, b, completed := m.from, m.to, m.to.Completed-m.from.Completed
	return Measured{
		m.seconds, completed, m.rate, (b.Occupancy - a.Occupancy) / m.seconds, (b.Residence - a.Residence) / float64(completed),
		(b.OwnCPU - a.OwnCPU) / m.seconds, (b.Bound - a.Bound) / m.seconds,
		t.throughput(n) * form(m.drawn[0], m.drawn[1], m.drawn[2]) / form(p.Wait.Mean(), p.Service.Mean(), p.CPU.Mean()),
	}
}

// Draw returns count draws of d.
func Draw(d Dist, seed uint64, count int) []float64 {
	s := newSampler(d)
	r := rand.New(rand.NewPCG(seed, 1))
	xs := make([]float64, count)
	for i := range xs {
		xs[i] = s.draw(r)
	}
	return xs
}

// Queue and Endings open the plant's containers.
type Queue struct{ q queue[int32] }

func (q *Queue) Push(u int32) { q.q.push(u) }
func (q *Queue) Pop() int32   { return q.q.pop() }
func (q *Queue) Len() int     { return q.q.n }

type Endings struct{ h endings }

func (h *Endings) Push(key float64) { h.h.push(ending{key: key}) }
func (h *Endings) Pop() float64     { return h.h.pop().key }

// Plant is a plant without noise under a test's control.
type Plant struct {
	*plant
	cpus int
}

func NewPlant(s Scenario, seed uint64, limit int) Plant {
	p := Plant{newPlant(seed, limit), s.P}
	p.enter(&s.Phases[0], s.P)
	return p
}

func (p Plant) Enter(ph *Phase)    { p.enter(ph, p.cpus) }
func (p Plant) Advance(to float64) { p.advance(to) }
func (p Plant) SetLimit(n int)     { p.setLimit(n) }
func (p Plant) SetNoise(f float64) { p.noise = f }
func (p Plant) InFlight() int      { return p.inFlight }
func (p Plant) Waiting() int       { return p.waiting }
func (p Plant) Queued() int        { return p.queued.n }
func (p Plant) Serving() int       { return p.serving }
func (p Plant) Runnable() float64  { return p.runnable() }
func (p Plant) Completed() int64   { return p.count.Completed }
func (p Plant) OwnCPU() float64    { return p.count.OwnCPU }
func (p Plant) Bound() float64     { return p.count.Bound }
func (p Plant) TimedSince() int64  { return p.count.TimedSince }
func (p Plant) Residence() (sum, squares, since float64) {
	return p.count.Residence, p.count.Residence2, p.count.ResidenceSince
}

// ProductForm, WholeTicks and Noise open what their tests check.
var (
	ProductForm = productForm
	WholeTicks  = func(s float64) float64 { return wholeTicks(s, clockTick) }
)

// Noise returns count ticks of noise.
func Noise(sd, timeConstant float64, seed uint64, count int) []float64 {
	n := newNoise(sd, timeConstant/tick, newStreams(seed).noise)
	xs := make([]float64, count)
	for i := range xs {
		xs[i] = n.next()
	}
	return xs
}

// ScoreOf scores made-up steps; each has a limit, X, N*, XBest and a phase.
func ScoreOf(completed int64, limits []int, xs []float64, nstars []int, bests []float64, phases []int) *Result {
	var steps []step
	for i := range limits {
		steps = append(steps, step{limits[i], nstars[i], xs[i], bests[i], phases[i]})
	}
	r := &Result{Completed: completed}
	r.score(steps)
	return r
}

// CompanyRates returns the throughput of each loop with fixed limits, one for
// each kind, in each stretch.
func CompanyRates(c Company, limits ...int) [][]float64 { return newFixedSearch(&c).measure(limits) }

// CompanyBest returns the best fixed limit of each loop.
func CompanyBest(c Company) []int { return bestFixed(&c).limit }

// CompanyPlaces plays a company and returns how many units of each loop are in
// flight at the end, by its own count and by where they are.
func CompanyPlaces(c Company, seed uint64, newLaw func() control.Controller) (counted, found []int) {
	r := newCompanyRun(&c, seed)
	r.govern(newLaw)
	r.play()
	found = make([]int, len(r.loops))
	at := func(u int32) { found[r.units.at[u].loop]++ }
	all := r.delayed
	for _, p := range r.processes {
		for _, l := range p.lanes {
			all = append(all, l.computing...)
		}
	}
	for _, s := range r.servers {
		all = append(all, s.ends...)
		for range s.queued.n {
			at(s.queued.pop())
		}
	}
	for _, e := range all {
		at(e.unit)
	}
	for _, l := range r.loops {
		counted = append(counted, l.inFlight)
	}
	return counted, found
}
