package sim

import (
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
)

// A companyProcess is a process with its goroutines that are ready to compute.
type companyProcess struct {
	index      int
	members    company.Company // what its Limiters know of each other
	shared     *control.Others // what all do that share its name; nil: it has none
	mine       control.Others  // its part of that
	background int
	lanes      []*lane // the first is that of all Limiters without a curve
	ready      int     // goroutines, the background included
	cpu        float64 // CPU time used, s
	threads    float64 // CPUs that its threads have now
}

// Add implements [company.Outside].
func (p *companyProcess) Add(done control.Others) control.Others {
	p.mine, *p.shared = p.mine.Plus(done), p.shared.Plus(done)
	return p.shared.Minus(p.mine)
}

// join adds a loop to what the process knows.
func (p *companyProcess) join() company.Member {
	if p.shared == nil {
		return p.members.Join(nil)
	}
	return p.members.Join(p)
}

// A lane holds units that compute at the same speed. Its clock is the work done
// by each of them, so that a change of speed moves no entry of the heap.
type lane struct {
	computing endings // by share
	share     float64
	rate      float64 // of share, in each second of an undisturbed machine
	slow      *slowness
	loop      *companyLoop // whose units in flight the curve counts
}

// shareCPUs divides the CPUs among the threads, and those of a process among
// its goroutines.
func (r *companyRun) shareCPUs() {
	cpus := float64(r.company.CPUs)
	threads := float64(r.company.Others)
	for _, p := range r.processes {
		p.threads = min(float64(p.ready), cpus)
		threads += p.threads
	}
	part := 1.0 // of a CPU, for each thread
	if threads > cpus {
		part = cpus / threads
	}
	r.others = float64(r.company.Others) * part
	for _, p := range r.processes {
		p.threads *= part
		if p.ready == 0 {
			continue
		}
		each := p.threads / float64(p.ready)
		for _, l := range p.lanes {
			l.rate = each
			if l.slow != nil {
				l.rate = each / l.slow.of(l.loop.inFlight)
			}
		}
	}
}

// compute lets a unit share the CPUs.
func (r *companyRun) compute(u int32) {
	l := r.loops[r.units.at[u].loop]
	if l.cpu.kind == Absent {
		r.end(u, done)
		return
	}
	l.process.ready++
	l.lane.computing.push(ending{l.lane.share + l.cpu.draw(l.draws.cpu), u})
}

// computed ends the computation that is due in a lane.
func (r *companyRun) computed(l *lane) {
	e := l.computing.pop()
	l.share = max(l.share, e.key)
	r.loops[r.units.at[e.unit].loop].process.ready--
	r.end(e.unit, done)
}
