package sim

import (
	"cmp"
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func (r *companyRun) govern(newLaw func() control.Controller) {
	for _, l := range r.loops {
		l.law = newLaw()
		l.r.watch(l.law)
		r.ticks.push(ending{l.Start, l.index})
	}
}

// tick is what a governor does every 10 ms on average: it reads the sensors
// and asks the law when that wants it or units were refused.
func (r *companyRun) tick(l *companyLoop) {
	soon := false
	if !l.begun {
		l.begun, l.last = true, r.now
		l.base.own, l.base.machine = l.process.cpu, r.machineCPU()
		l.member = l.process.join()
		l.member.Wake()
		r.admit(l)
		l.sensed = l.inFlight
	} else {
		r.sense(l)
		if l.r.At >= l.after || l.r.Overloads != l.heard {
			soon = r.ask(l)
		}
		l.heard = l.r.Overloads
	}
	// From 7 to 13 ms, as the governor of a Limiter, so that loops are not in step.
	next := tick * (0.7 + 0.6*l.draws.tick.Float64())
	if soon {
		next /= 2
	}
	r.ticks.push(ending{r.now + next, l.index})
}

// sense brings the reading up to date. What is only known at an instant is
// sampled, and the CPU times are those of the process and of the machine.
func (r *companyRun) sense(l *companyLoop) {
	dt := r.now - l.last
	l.last = r.now
	q := &l.r
	q.At = time.Duration(math.Round((r.now - l.Start) * 1e9))
	q.Limit, q.Min, q.Max, q.InFlight = l.limit, 1, MaxLimit, l.inFlight
	q.Waiting = max(0, l.most()-l.inFlight)
	if l.Callers == 0 {
		q.Waiting = 1 // somebody always waits: the producer
	}
	if l.limit < l.most() {
		q.Bound += dt // callers come back at once
	}
	q.Units, q.Timed = float64(q.Completed), q.Completed
	q.Occupancy += dt * float64(l.sensed+l.inFlight) / 2
	l.sensed = l.inFlight
	q.Runnable += dt * float64(max(0, l.process.ready-r.company.CPUs)) // goroutines that are ready but have no thread
	q.OwnCPU = wholeTicks(l.process.cpu-l.base.own, cmp.Or(r.company.Tick, clockTick))
	q.MachineCPU = max(q.OwnCPU, wholeTicks(r.machineCPU()-l.base.machine, clockTick))
	q.Tick, q.CPUs = r.company.Tick, float64(r.company.CPUs)
}

// machineCPU returns the CPU time that everybody used, s.
func (r *companyRun) machineCPU() float64 {
	sum := r.otherCPU
	for _, p := range r.processes {
		sum += p.cpu
	}
	return sum
}

// ask puts the answer of the law in force and reports whether it is in a hurry.
func (r *companyRun) ask(l *companyLoop) (soon bool) {
	l.member.Observe(&l.r.Reading)
	d := l.law.Next(l.r.Reading)
	l.after = l.r.At + min(max(d.After, 0), math.MaxInt64-l.r.At)
	to := min(max(d.Limit, 1), MaxLimit)
	if to != l.limit {
		l.changes = append(l.changes, Change{At: r.now, From: l.limit, To: to, Reason: d.Reason})
		l.limit = to
		l.r.resized()
		r.admit(l)
	} else if d.Reason.Kind != control.None {
		l.changes = append(l.changes, Change{At: r.now, From: to, To: to, Reason: d.Reason})
	}
	return d.Soon
}
