// Package company is what Limiters know of each other: those of one process, and those of
// other processes that agree on a name.
//
// To a Limiter whose units queue for something that others use as well (a server, a database,
// the CPUs) more units of its own look good, because it takes from the others what it gains.
// So each learns what the others do meanwhile: Reading.Others grows by their work, in units
// of what they usually do, and by their time: what is beyond the time is gained, what is
// short of it lost. A law that adds up the relative changes of all looks for the limits that
// are best for all, and fair: the sum of the logarithms of the throughputs is largest (F. P.
// Kelly, A. K. Maulloo, D. K. H. Tan, "Rate control for communication networks", JORS 1998).
//
// Only Limiters whose units queue count, because nothing can be taken from one
// without a queue.
//
// Each loop joins with a [Member]. It calls [Member.Wake] when it begins and after each
// rest, and [Member.Observe] before it asks its law. The package reads no clock and
// starts nothing, so a simulation of many Limiters uses it as the governor does. How
// processes tell each other is left to an [Outside].
package company

import (
	"math"
	"sync"

	"github.com/sweetspot-go/sweetspot/control"
)

// A Company is a set of loops whose work may share a bottleneck. The zero Company is
// empty and ready for use.
type Company struct {
	mu    sync.Mutex
	total progress // of all
}

// progress is what loops have done while their units queued. It is counted in whole
// numbers: a rounding error would look like others at work.
type progress struct{ work, time int64 }

func fixed(o control.Others) progress { return progress{int64(o.Work / fine), int64(o.Time / fine)} }

func (p progress) float() control.Others {
	return control.Others{Work: fine * float64(p.work), Time: fine * float64(p.time)}
}

func (p progress) plus(q progress) progress { return progress{p.work + q.work, p.time + q.time} }

func (p progress) minus(q progress) progress { return progress{p.work - q.work, p.time - q.time} }

// A Member is one loop of a Company. Its methods are not safe for concurrent use, but
// those of different Members are.
type Member struct {
	company *Company
	outside Outside // nil: it knows of no other processes

	last   float64 // time of the newest reading, s
	units  float64
	comp   int64
	filled float64 // occupancy
	spent  float64 // residence
	timed  int64

	rate      float64 // units/s, usually
	count     float64 // units timed
	residence float64 // s, of late
	least     float64 // s, that units take while none queues
	queues    float64 // from 0, nothing queues, to 1

	mine progress // its part of company.total
	seen progress // of the others
}

const (
	// usual is the time constant of the usual rate, s: long against an experiment, short
	// against the work. Known is when it is known well enough for the others to hear of it.
	usual, known = 2.0, 0.5
	// late is that of the residence, s.
	late = 0.1
	// few units say little: of those that begin together the short ones end first.
	few = 16.0
	// forget is the time constant of the least residence, s: work may become slower.
	forget = 60.0
	// calm is the time constant of queues becoming shorter, s. They count at once when they grow, for a
	// climb takes a second.
	calm = 3.0
	// Units queue where they take queueFrom times their least residence, certainly at
	// queueTo times.
	queueFrom, queueTo = 1.15, 1.4
	// fine is the resolution of progress.
	fine = 1e-9
	// most bounds what a loop is said to do in units of what it usually does: it may have
	// just begun.
	most = 2.0
)

// An Outside tells other processes of this one, and this one of them.
type Outside interface {
	// Add adds to what the members here have done that share it, and returns sums that
	// grow by what those in other processes do. Members call it concurrently.
	Add(control.Others) control.Others
}

// Join adds a loop. It shares what is outside, or nothing if that is nil.
func (c *Company) Join(outside Outside) Member { return Member{company: c, outside: outside} }

// Wake begins to listen to the others. What they have done before does not count.
func (m *Member) Wake() { m.seen = m.add(progress{}) }

// add adds to the progress of m and returns that of all others.
func (m *Member) add(step progress) progress {
	c := m.company
	c.mu.Lock()
	m.mine = m.mine.plus(step)
	c.total = c.total.plus(step)
	others := c.total.minus(m.mine)
	c.mu.Unlock()
	if m.outside != nil {
		others = others.plus(fixed(m.outside.Add(step.float())))
	}
	return others
}

// Observe takes a reading and completes it by what the others did since the one before.
func (m *Member) Observe(r *control.Reading) {
	t := r.At.Seconds()
	dt := t - m.last
	units := r.Units - m.units
	// Where units are not timed, Little's law tells how long they take; but not while
	// their number changes.
	spent, of := r.Residence-m.spent, float64(r.Timed-m.timed)
	if r.Timed == 0 {
		spent, of = r.Occupancy-m.filled, float64(r.Completed-m.comp)
	}
	m.last, m.units, m.comp, m.filled = t, r.Units, r.Completed, r.Occupancy
	m.spent, m.timed = r.Residence, r.Timed
	var step progress
	if dt > 0 {
		m.queue(dt, spent, of)
		if t > known && m.rate > 0 {
			step = fixed(control.Others{Work: m.queues * min(units/m.rate, most*dt), Time: m.queues * dt})
		}
		m.rate += (units/dt - m.rate) * min(1, dt/min(max(t, dt), usual))
	}
	others := m.add(step)
	if m.queues > 0.5 {
		r.Others = r.Others.Plus(others.minus(m.seen).float())
	}
	m.seen = others
}

// queue learns how much longer units take than they need, from the time that of units took.
func (m *Member) queue(dt, spent, of float64) {
	if of <= 0 || !(spent > 0) { // a clock may be too coarse to time units
		return
	}
	r := spent / of
	fresh := m.count < few
	m.count += of
	rate := min(1, dt/max(late, m.residence), of/few)
	if fresh {
		rate = of / m.count
	}
	m.residence += (r - m.residence) * rate
	if fresh || m.residence < m.least {
		m.least = m.residence
	}
	m.least += (m.residence - m.least) * min(1, dt/forget)
	q := min(max((m.residence/m.least-queueFrom)/(queueTo-queueFrom), 0), 1)
	m.queues = max(q, m.queues*math.Exp(-dt/calm))
}
