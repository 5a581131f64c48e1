package sim

import (
	"math"
	"math/rand/v2"
)

// A server is one that the Limiters of a company share. Its clock is the
// work that a unit does which is never held up: it runs slower the more units are
// there, so that a change of speed moves no entry of the heap.
type server struct {
	*CompanyServer
	slow             slowness
	service, refusal sampler
	draws            *rand.Rand
	refused          int64 // units that it turned away, or that failed in its outage

	now, work float64
	ends      endings // by work
	queued    queue[int32]
	serving   int
}

// call sends a unit to the server of its Limiter, which may turn it away.
func (r *companyRun) call(u int32) {
	unit := &r.units.at[u]
	s := r.loops[unit.loop].server
	if s == nil {
		r.compute(u)
		return
	}
	o := s.failing(r.now)
	if o == done && s.Most > 0 && s.present() >= s.Most {
		o = overloaded
	}
	if o == done {
		s.arrive(r.work, u)
		return
	}
	s.refused++
	unit.outcome = o
	r.delayed.push(ending{r.work + s.refusal.draw(s.draws), u})
}

// served takes the unit that a server is done with.
func (r *companyRun) served(s *server) {
	u := s.leave(r.work)
	if o := s.failing(r.now); o != done {
		s.refused++
		r.end(u, o)
		return
	}
	r.compute(u)
}

// failing returns how units fail at a time, done if they do not.
func (s *server) failing(at float64) outcome {
	switch o := &s.Outage; {
	case at < o.From || at >= o.To:
		return done
	case o.Overload:
		return overloaded
	}
	return ignored
}

func (s *server) present() int { return s.serving + s.queued.n }

// next returns when the next unit is served, +Inf if none is.
func (s *server) next() float64 {
	if len(s.ends) == 0 {
		return math.Inf(1)
	}
	return s.now + max(0, s.ends[0].key-s.work)*s.slow.of(max(s.present(), 1))
}

func (s *server) pass(to float64) {
	if dt := to - s.now; dt > 0 {
		s.work += dt / s.slow.of(max(s.present(), 1))
	}
	s.now = to
}

func (s *server) arrive(now float64, unit int32) {
	s.pass(now)
	if s.serving == s.Places {
		s.queued.push(unit)
		return
	}
	s.serve(unit)
}

func (s *server) serve(unit int32) {
	s.serving++
	s.ends.push(ending{s.work + s.service.draw(s.draws), unit})
}

// leave returns the unit that is served now.
func (s *server) leave(now float64) int32 {
	s.pass(now)
	e := s.ends.pop()
	s.work = max(s.work, e.key)
	s.serving--
	if s.queued.n > 0 {
		s.serve(s.queued.pop())
	}
	return e.unit
}
