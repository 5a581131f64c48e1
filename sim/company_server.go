package sim

// A server is one that the Limiters of a company share.
type server struct {
	downstream
	*CompanyServer
	refusal sampler
	refused int64 // units that it turned away, or that failed in its outage
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
	if o == done && s.Most > 0 && s.jobs() >= s.Most {
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
