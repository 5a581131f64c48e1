package sim

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A fleetWorker is one worker: its limit with the law that moves it, and its CPUs.
type fleetWorker struct {
	law   control.Controller
	limit int
	taken int  // permits: jobs at work, and jobs asked for
	asked bool // a request of it is under way or waits in line
	more  bool // there are more jobs, as far as it knows

	quiet, barred float64 // natslimit's pause between batches in vain

	last      float64 // when the integrals were brought up to date
	share     float64 // work done by each job that computes
	computing endings // by share
	nextEnd   float64 // of a computation; what the heap says else is outdated

	ticking bool
	change  int32 // how often the limit has changed
	ask     time.Duration
	active  float64 // time with permits taken
	own     float64 // CPU time
	r       control.Reading
}

const (
	// batchWait is how long a batch waits for what is held back, s, and quietMost
	// the longest time without batches where they are in vain: natslimit's.
	batchWait = 0.005
	quietMost = 0.1
	batchMost = 256
)

// pass brings the integrals up to date.
func (w *fleetWorker) pass(now float64, cpus int) {
	dt := now - w.last
	if dt <= 0 {
		return
	}
	w.last = now
	if w.taken > 0 {
		w.active += dt
		w.r.Occupancy += dt * float64(w.taken)
	}
	if w.more && w.taken >= w.limit {
		w.r.Bound += dt
	}
	if n := float64(len(w.computing)); n > 0 {
		p := float64(cpus)
		w.own += dt * min(n, p)
		w.r.Runnable += dt * max(0, n-p)
		w.share += dt * min(1, p/n)
	}
}

// reading returns what the law gets to see, with the resolution that sensors have.
func (w *fleetWorker) reading(cpus int) control.Reading {
	r := &w.r
	r.At = time.Duration(math.Round(w.active * 1e9))
	r.Limit, r.Min, r.Max = w.limit, 1, MaxLimit
	r.InFlight, r.Waiting = w.taken, 0
	if w.more && w.taken >= w.limit {
		r.Waiting = 1
	}
	r.Units, r.Timed = float64(r.Completed), r.Completed
	r.OwnCPU = wholeTicks(w.own, clockTick)
	r.MachineCPU = r.OwnCPU
	r.CPUs = float64(cpus)
	return *r
}

// compute lets a job share the worker's CPUs.
func (r *fleetRun) compute(unit int32) {
	i := r.units[unit].worker
	w := &r.workers[i]
	w.pass(r.now, r.fleet.CPUs)
	w.computing.push(ending{w.share + r.cpu.draw(r.draws.cpu), unit})
	r.nextEnd(i)
}

// nextEnd works out when the next computation of a worker ends.
func (r *fleetRun) nextEnd(i int32) {
	w := &r.workers[i]
	w.nextEnd = math.Inf(1)
	if n := float64(len(w.computing)); n > 0 {
		w.nextEnd = r.now + max(0, w.computing[0].key-w.share)*max(1, n/float64(r.fleet.CPUs))
		r.cores.push(ending{w.nextEnd, i})
	}
}

// computed ends the computation that is due at a worker.
func (r *fleetRun) computed(due ending) {
	w := &r.workers[due.unit]
	if due.key != w.nextEnd {
		return
	}
	w.pass(r.now, r.fleet.CPUs)
	e := w.computing.pop()
	w.share = max(w.share, e.key)
	r.nextEnd(due.unit)
	r.worked(e.unit)
}

// fetch asks for jobs for the permits that are free.
func (r *fleetRun) fetch(i int32) {
	w := &r.workers[i]
	n := w.limit - w.taken
	if w.asked || n <= 0 {
		return
	}
	w.asked = true
	if !w.more {
		// A request that waits holds no permit.
		r.post(letter{kind: poll, worker: i})
		return
	}
	n = min(n, batchMost)
	r.take(i, n)
	r.post(letter{kind: batch, worker: i, sent: r.now, n: int32(n)})
}

// take takes permits, and gives them back if n is negative.
func (r *fleetRun) take(i int32, n int) {
	w := &r.workers[i]
	w.pass(r.now, r.fleet.CPUs)
	w.taken += n
	if w.taken > 0 && !w.ticking {
		w.ticking = true
		r.ticks.push(ending{r.now + tick, i})
	}
}

// receive begins the jobs that were delivered to a worker.
func (r *fleetRun) receive(l letter) {
	w := &r.workers[l.worker]
	if l.kind == one {
		r.take(l.worker, 1)
		r.begin(l.worker, r.now)
	}
	for range l.got {
		r.begin(l.worker, l.sent) // permits are held while a batch is asked for
	}
	if l.got < l.n {
		r.expiring.send(letter{at: r.now + batchWait, kind: expire, worker: l.worker, n: l.n - l.got, more: l.more})
		return
	}
	if l.kind == deliver {
		w.quiet = 0
	}
	r.knows(w, l.more && r.now >= w.barred)
	w.asked = false
	r.fetch(l.worker)
}

// expired gives back the permits of a batch for which there was no job.
func (r *fleetRun) expired(l letter) {
	w := &r.workers[l.worker]
	r.take(l.worker, -int(l.n))
	w.asked = false
	r.knows(w, false)
	if l.more {
		w.quiet = min(max(2*w.quiet, batchWait), quietMost)
		w.barred = r.now + w.quiet
	}
	r.fetch(l.worker)
}

func (r *fleetRun) knows(w *fleetWorker, more bool) {
	w.pass(r.now, r.fleet.CPUs)
	w.more = more
}

// done takes down that a job is acknowledged.
func (r *fleetRun) done(unit int32) {
	u := &r.units[unit]
	i := u.worker
	w := &r.workers[i]
	r.take(i, -1)
	t := r.now - u.begun
	w.r.Completed++
	w.r.Residence += t
	w.r.Residence2 += t * t
	if u.change == w.change {
		w.r.TimedSince++
		w.r.ResidenceSince += t
	}
	r.shared.done(r.now-u.came, u.epoch)
	r.times.add(r.now - u.came)
	r.residence += r.now - u.came
	r.free = append(r.free, unit)
	r.mark()
	r.fetch(i)
}

// tick asks the law of a worker. A governor rests while its worker has no jobs.
func (r *fleetRun) tick(i int32) {
	w := &r.workers[i]
	w.pass(r.now, r.fleet.CPUs)
	if w.taken == 0 {
		w.ticking = false
		return
	}
	step := float64(tick)
	at := w.reading(r.fleet.CPUs)
	if at.At >= w.ask {
		d := w.law.Next(at)
		w.ask = at.At + min(max(d.After, 0), math.MaxInt64-at.At)
		if d.Soon {
			step /= 2
		}
		if n := min(max(d.Limit, 1), MaxLimit); n != w.limit {
			w.limit = n
			w.change++
			w.r.TimedSince, w.r.ResidenceSince = 0, 0
			r.fetch(i)
		}
		// A law that wants to be left alone is: nothing can happen that it
		// would have to know earlier.
		step = max(step, (w.ask - at.At).Seconds())
	}
	r.ticked += step / tick
	r.ticks.push(ending{r.now + step, i})
}
