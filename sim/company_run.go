package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot/control"
)

// RunCompany lets controllers, one for each Limiter, set the limits of a
// company in virtual time, and scores them. Each limit starts at the number of
// CPUs. The Limiters of a process, and of processes that share a name, know of each
// other as they do in a program.
// The outcome depends on c, seed and the controllers alone.
//
// The error says what is wrong with c. RunCompany takes some 0.5 µs of real
// time for each unit, and never waits. For the best fixed limits it simulates
// some more, as much as dozens of runs where Limiters differ much in pace; that
// is remembered.
func RunCompany(c Company, seed uint64, newLaw func() control.Controller) (*CompanyResult, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if newLaw == nil {
		return nil, fmt.Errorf("sim: company %q has no controllers: want a function that makes one", c.Name)
	}
	r := newCompanyRun(&c, seed)
	r.govern(newLaw)
	r.play()
	return r.finish(bestFixed(&c)), nil
}

// A companyRun is the state of a simulated company. Its clock work is the time
// of a machine without noise; now is real time, as the governors see it.
type companyRun struct {
	company   *Company
	now, work float64
	speed     float64 // work per second
	noise     *noise

	processes []*companyProcess
	loops     []*companyLoop
	servers   []*server
	others    float64 // CPUs that others have now
	otherCPU  float64 // CPU time that they used, s

	delayed endings // waits and refusals, by work
	ticks   endings // loops, by the next tick of their governor, by now
	units   slab[companyUnit]
	ended   int64

	worked  []float64 // work at the end of each tick of 10 ms
	refused refusals
}

// A companyUnit is one piece of work in flight.
type companyUnit struct {
	loop    int32
	epoch   int32 // how often the limit had changed when it began
	begun   float64
	outcome outcome // done, unless a server turned it away
}

type outcome uint8

const (
	done outcome = iota
	ignored
	overloaded
)

func newCompanyRun(c *Company, seed uint64) *companyRun {
	r := &companyRun{company: c, speed: 1}
	streams := uint64(0)
	stream := func() *rand.Rand { streams++; return rand.New(rand.NewPCG(seed, streams)) }
	r.noise = newNoise(c.Noise, c.NoiseTime/tick, stream())
	byName := map[string]*server{}
	for i := range c.Servers {
		of := &c.Servers[i]
		s := &server{CompanyServer: of, slow: slowness{curve: of.Slow}, service: newSampler(of.Service), refusal: newSampler(of.Refusal), draws: stream()}
		byName[s.Name] = s
		r.servers = append(r.servers, s)
	}
	shares := map[string]*control.Others{}
	for i := range c.Processes {
		name := c.Processes[i].Share
		if name != "" && shares[name] == nil {
			shares[name] = new(control.Others)
		}
		p := &companyProcess{index: i, shared: shares[name], background: c.Processes[i].Background, lanes: []*lane{{}}}
		p.ready = p.background
		r.processes = append(r.processes, p)
		for j := range c.Processes[i].Limiters {
			spec := &c.Processes[i].Limiters[j]
			kind := spec.kind(&c.Processes[i])
			for range spec.Count {
				l := &companyLoop{
					CompanyLimiter: spec, kind: kind, index: int32(len(r.loops)), process: p, lane: p.lanes[0], server: byName[spec.Calls],
					limit: c.CPUs, wait: newSampler(spec.Wait), cpu: newSampler(spec.CPU),
					draws: loopDraws{stream(), stream(), stream(), stream()},
				}
				if spec.Slow.pieces != nil {
					l.lane = &lane{slow: &slowness{curve: spec.Slow}, loop: l}
					p.lanes = append(p.lanes, l.lane)
				}
				r.loops = append(r.loops, l)
			}
		}
	}
	return r
}

// play runs the simulation to its end.
func (r *companyRun) play() {
	steps := int(math.Round(r.company.Seconds / tick))
	for i := range steps {
		r.speed = r.noise.next()
		to := float64(i+1) / ticksPerSecond
		for len(r.ticks) > 0 && r.ticks[0].key < to {
			e := r.ticks.pop()
			r.advance(e.key)
			r.tick(r.loops[e.unit])
		}
		r.advance(to)
		r.worked = append(r.worked, r.work)
		if (i+1)%ticksPerPoint == 0 {
			r.point(to)
		}
		if 2*(i+1) == steps {
			for _, l := range r.loops {
				l.half = l.r.Completed
			}
		}
	}
}

// advance runs the plant up to a time.
func (r *companyRun) advance(to float64) {
	end := r.work + max(0, to-r.now)*r.speed
	for {
		r.shareCPUs()
		next := end
		var lane *lane
		var server *server
		if len(r.delayed) > 0 {
			next = min(next, r.delayed[0].key)
		}
		for _, p := range r.processes {
			for _, l := range p.lanes {
				if len(l.computing) > 0 {
					if t := r.work + (l.computing[0].key-l.share)/l.rate; t < next {
						next, lane = t, l
					}
				}
			}
		}
		for _, s := range r.servers {
			if t := s.next(); t < next {
				next, server = t, s
			}
		}
		r.pass(next)
		switch {
		case next == end:
			r.now = to
			return
		case server != nil:
			r.served(server)
		case lane != nil:
			r.computed(lane)
		default:
			r.waited()
		}
	}
}

// pass moves the clocks to a time in work.
func (r *companyRun) pass(to float64) {
	dw := to - r.work
	if dw <= 0 {
		return
	}
	dt := dw / r.speed
	r.work = to
	r.now += dt
	r.otherCPU += r.others * dt
	for _, p := range r.processes {
		if p.ready == 0 {
			continue
		}
		p.cpu += p.threads * dt
		for _, l := range p.lanes {
			l.share += l.rate * dw
		}
	}
}

func (r *companyRun) begin(l *companyLoop) {
	u := r.units.add(companyUnit{loop: l.index, epoch: l.r.epoch, begun: r.now})
	l.inFlight++
	if l.wait.kind == Absent {
		r.call(u)
		return
	}
	r.delayed.push(ending{r.work + l.wait.draw(l.draws.wait), u})
}

// waited ends the wait or the refusal that is due.
func (r *companyRun) waited() {
	u := r.delayed.pop().unit
	if o := r.units.at[u].outcome; o != done {
		r.end(u, o)
		return
	}
	r.call(u)
}

// end ends a unit; the next one may begin.
func (r *companyRun) end(u int32, o outcome) {
	l := r.loops[r.units.at[u].loop]
	if o == done && l.Refuse > 0 && l.draws.outcome.Float64() < l.Refuse {
		o = overloaded
	}
	l.ended(&r.units.at[u], o, r.now)
	r.ended++
	r.units.remove(u)
	r.admit(l)
}

// admit begins units until the limit is reached or nobody waits.
func (r *companyRun) admit(l *companyLoop) {
	for l.begun && l.inFlight < min(l.limit, l.most()) {
		r.begin(l)
	}
}
