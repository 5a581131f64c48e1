package loop

import (
	"slices"

	"github.com/sweetspot-go/sweetspot/control"
)

// Stats returns the present figures.
func (l *Loop) Stats() Stats {
	p, c := &l.plant, l.plant.sem.Counters()
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	s := Stats{
		Limit: c.Limit, InFlight: c.InFlight, Waiting: c.Waiting,
		Completed: p.done(c), Ignored: p.ignored.Load(), Overloads: p.overloads.Load(),
		Manual: l.gov.manual > 0,
		Active: l.gov.meter.r.At, CPUs: l.gov.meter.r.CPUs,
	}
	s.Reserved, s.Reserving = l.budget.state()
	l.gov.rates.fill(&s, &l.gov.meter.r)
	return s
}

// Decisions returns the newest ones, oldest first.
func (l *Loop) Decisions() []Decision {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	log := &l.gov.log
	return slices.Concat(log.ring[log.next:], log.ring[:log.next])
}

// Kinds returns how many decisions of each kind there were. Kinds without any are not in it.
func (l *Loop) Kinds() map[control.Kind]int64 {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	m := make(map[control.Kind]int64)
	for k, n := range l.gov.log.kinds {
		if n > 0 {
			m[control.Kind(k)] = n
		}
	}
	return m
}

// Waits returns how long callers had to wait for permits.
func (l *Loop) Waits() control.Histogram {
	if l.waits == nil {
		return control.Histogram{}
	}
	return l.waits.read()
}

// Learnt is what a call remembers of a Loop of its own.
type Learnt struct {
	Settled   int   // the limit that the controller has arrived at; the one in force may be an experiment
	Undecided bool  // it has not come to any decision: it may have begun an experiment
	Full      bool  // the CPUs have been busy all the time
	Completed int64 // units
}

// Learnt returns what the controller has found out.
func (l *Loop) Learnt() Learnt {
	c := l.plant.sem.Counters()
	g := &l.gov
	g.mu.Lock()
	defer g.mu.Unlock()
	k := Learnt{Settled: c.Limit, Undecided: g.log.tentative(), Full: g.rates.full(&g.meter.r), Completed: l.plant.done(c)}
	if g.settled > 0 {
		k.Settled = min(g.settled, g.cfg.Max)
	}
	return k
}
