package main

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// A limiter is [sweetspot.Limiter] in virtual time: permits in order of arrival, and
// a law that decides how many. A law that is not a [control.Controller], such as
// Vector's, watches the units instead.
type limiter struct {
	clock   *clock
	watched []watcher
	gov     governor

	limit, inFlight int
	queue           []func(unit)
	since           time.Duration // somebody waits since; only while the queue is not empty
	waited          time.Duration // for how long somebody did before that
	changed         time.Duration // when the limit last changed
}

// A watcher sees each unit of a limiter, before it is counted.
type watcher interface {
	started(*limiter)
	ended(l *limiter, began time.Duration, o sweetspot.Outcome)
	resized(*limiter)
}

// newLimiter returns a limiter that starts at a number, and keeps it if law is nil.
func newLimiter(c *clock, law control.Controller, start int, m machine) *limiter {
	l := &limiter{clock: c, limit: start}
	l.gov = governor{l: l, law: law, m: m, beat: int(m.seed)}
	return l
}

// A unit is a permit and the time at which it was taken.
type unit struct {
	l     *limiter
	began time.Duration
}

// acquire calls start with a permit: at once if one is free, or when it is the
// caller's turn.
func (l *limiter) acquire(start func(unit)) {
	if u, ok := l.tryAcquire(); ok {
		start(u)
		return
	}
	if len(l.queue) == 0 {
		l.since = l.clock.now
	}
	l.queue = append(l.queue, start)
}

// tryAcquire returns a permit if one is free and nobody waits.
func (l *limiter) tryAcquire() (unit, bool) {
	if l.inFlight >= l.limit || len(l.queue) > 0 {
		return unit{}, false
	}
	return l.begin(), true
}

func (l *limiter) begin() unit {
	for _, w := range l.watched {
		w.started(l)
	}
	l.inFlight++
	l.gov.wake()
	return unit{l, l.clock.now}
}

// end gives the permit back.
func (u unit) end(o sweetspot.Outcome) {
	l, now := u.l, u.l.clock.now
	for _, w := range l.watched {
		w.ended(l, u.began, o)
	}
	l.inFlight--
	switch took, r := (now - u.began).Seconds(), &l.gov.read; o {
	case sweetspot.Done:
		r.Completed++
		r.Residence += took
		r.Residence2 += took * took
		if u.began >= l.changed {
			r.TimedSince++
			r.ResidenceSince += took
		}
	case sweetspot.Overloaded:
		r.Overloads++
	default:
		r.Ignored++
	}
	l.admit()
}

// admit hands free permits to those who wait. They go on at the same time, but after
// whatever else happens at it, as goroutines that were made ready.
func (l *limiter) admit() {
	for len(l.queue) > 0 && l.inFlight < l.limit {
		start := l.queue[0]
		l.queue = l.queue[1:]
		if len(l.queue) == 0 {
			l.waited += l.clock.now - l.since
		}
		u := l.begin()
		l.clock.after(0, func() { start(u) })
	}
}

func (l *limiter) setLimit(n int) {
	if n == l.limit {
		return
	}
	for _, w := range l.watched {
		w.resized(l)
	}
	l.limit, l.changed = n, l.clock.now
	l.gov.read.TimedSince, l.gov.read.ResidenceSince = 0, 0
	l.admit()
}

// bound returns for how long somebody has waited.
func (l *limiter) bound() time.Duration {
	if len(l.queue) > 0 {
		return l.waited + l.clock.now - l.since
	}
	return l.waited
}
