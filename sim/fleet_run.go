package sim

import (
	"math"
	"math/rand/v2"
)

// A fleetRun is the state of a simulated fleet.
type fleetRun struct {
	fleet   *Fleet
	now     float64
	queue   fleetQueue
	workers []fleetWorker
	started int
	shared  sharedLimit

	toQueue, toCrew, expiring mail

	waiting    endings
	downstream downstream
	cores      endings // workers, by the end of their next computation
	ticks      endings // workers, by the next tick of their governor
	wait, cpu  sampler
	draws      struct{ wait, cpu *rand.Rand }

	units []fleetUnit
	free  []int32

	acked     int
	marks     [2]float64 // when a half and nine tenths were acknowledged
	residence float64
	times     waits
	ticked    float64
	events    int64
}

// A fleetUnit is a job at a worker.
type fleetUnit struct {
	worker      int32
	change      int32   // of the worker's limit when it began
	epoch       int32   // of the shared one
	begun, came float64 // since when it has its permit, and when it was delivered
}

// startWithin is the time over which the workers start, s: governors that all
// begin at the same instant would tick in step.
const startWithin = 0.1

func newFleetRun(f *Fleet, seed uint64, laws FleetLaws) *fleetRun {
	stream := func(i uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, i)) }
	r := &fleetRun{
		fleet: f, queue: fleetQueue{left: f.Jobs}, workers: make([]fleetWorker, f.Workers),
		wait: newSampler(f.Wait), cpu: newSampler(f.CPU),
		downstream: downstream{servers: f.Servers, slow: f.Slow, service: newSampler(f.Service), draws: stream(2)},
		shared:     sharedLimit{limit: math.MaxInt, next: math.Inf(1)},
	}
	r.draws.wait, r.draws.cpu = stream(1), stream(3)
	for i := range r.workers {
		r.workers[i] = fleetWorker{law: laws.Worker(), limit: f.CPUs, nextEnd: math.Inf(1)}
	}
	if laws.Shared != nil {
		s := &r.shared
		s.law, s.limit, s.next = laws.Shared(), laws.Start, startWithin
		if s.limit == 0 {
			s.limit = f.CPUs
		}
	}
	return r
}

// play runs the simulation until all jobs are acknowledged.
func (r *fleetRun) play() {
	for r.acked < r.fleet.Jobs {
		r.events++
		const (
			start = iota
			atQueue
			atCrew
			expires
			waited
			served
			computed
			ticks
			leads
		)
		at, what := math.Inf(1), start
		earlier := func(t float64, w int) {
			if t < at {
				at, what = t, w
			}
		}
		if r.started < len(r.workers) {
			at = startWithin * float64(r.started) / float64(len(r.workers))
		}
		earlier(r.toQueue.next(), atQueue)
		earlier(r.toCrew.next(), atCrew)
		earlier(r.expiring.next(), expires)
		earlier(r.waiting.next(), waited)
		earlier(r.downstream.next(), served)
		earlier(r.cores.next(), computed)
		earlier(r.ticks.next(), ticks)
		earlier(r.shared.next, leads)
		r.pass(at)
		switch what {
		case start:
			r.fetch(int32(r.started))
			r.started++
		case atQueue:
			r.handle(r.toQueue.take())
		case atCrew:
			r.hear(r.toCrew.take())
		case expires:
			r.expired(r.expiring.take())
		case waited:
			r.call(r.waiting.pop().unit)
		case served:
			r.called(r.downstream.leave(r.now))
		case computed:
			r.computed(r.cores.pop())
		case ticks:
			r.tick(r.ticks.pop().unit)
		case leads:
			r.lead()
		}
	}
}

// next returns the key of the earliest, +Inf if there is none.
func (h endings) next() float64 {
	if len(h) == 0 {
		return math.Inf(1)
	}
	return h[0].key
}

// pass moves the clock.
func (r *fleetRun) pass(to float64) {
	r.shared.pass(to-r.now, &r.queue)
	r.now = to
}

// hear takes a letter to a worker.
func (r *fleetRun) hear(l letter) {
	switch l.kind {
	case deliver, one:
		r.receive(l)
	case result: // it is recorded
		r.post(letter{kind: ack, unit: l.unit})
	case ack:
		r.done(l.unit)
	}
}

// begin starts a job at a worker.
func (r *fleetRun) begin(worker int32, begun float64) {
	var u int32
	if n := len(r.free); n > 0 {
		u, r.free = r.free[n-1], r.free[:n-1]
	} else {
		u = int32(len(r.units))
		r.units = append(r.units, fleetUnit{})
	}
	r.units[u] = fleetUnit{worker: worker, change: r.workers[worker].change, epoch: r.shared.epoch, begun: begun, came: r.now}
	if r.wait.kind == Absent {
		r.call(u)
		return
	}
	r.waiting.push(ending{r.now + r.wait.draw(r.draws.wait), u})
}

// call sends a job to the downstream.
func (r *fleetRun) call(unit int32) {
	if r.downstream.servers == 0 {
		r.called(unit)
		return
	}
	r.downstream.arrive(r.now, unit)
}

// called lets a job compute that the downstream has served.
func (r *fleetRun) called(unit int32) {
	if r.cpu.kind == Absent {
		r.worked(unit)
		return
	}
	r.compute(unit)
}

// worked sends the result of a job.
func (r *fleetRun) worked(unit int32) { r.post(letter{kind: result, unit: unit}) }

// mark takes down when so many jobs were acknowledged.
func (r *fleetRun) mark() {
	r.acked++
	switch r.acked {
	case (r.fleet.Jobs + 1) / 2:
		r.marks[0] = r.now
	case (9*r.fleet.Jobs + 9) / 10:
		r.marks[1] = r.now
	}
}

func (r *fleetRun) finish() *FleetResult {
	n, q := float64(r.acked), &r.queue
	res := &FleetResult{
		Completed: int64(r.acked), Seconds: r.now, Rate: n / r.now,
		Residence: r.residence / n, P99: r.times.quantile(0.99),
		InFlight: r.shared.r.Occupancy / r.now, Peak: q.peak, Changes: r.shared.changes,
		Messages: q.messages, Stores: q.stores, Ticks: int64(math.Round(r.ticked)),
		Busy: min(1, q.busy/r.now), Events: r.events,
	}
	res.Settled = res.Rate
	if t := r.marks[1] - r.marks[0]; t > 0 {
		res.Settled = float64((9*r.fleet.Jobs+9)/10-(r.fleet.Jobs+1)/2) / t
	}
	if r.shared.law != nil {
		res.Limit = r.shared.limit
	}
	messages := float64(q.messages) * r.fleet.Message
	res.Overhead = (q.busy + messages + r.ticked*TickCost) / n
	return res
}
