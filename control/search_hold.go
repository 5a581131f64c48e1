package control

import "math"

// hold is the resting state: it takes windows at the standing limit, watches
// for change, and decides which experiment is due.
func (s *Search) hold(w window) {
	s.wanted = false
	s.home = w.n
	now := s.now()
	if w.bound < boundEnough {
		s.appLimited(w)
		return
	}
	s.due.peak = 0
	s.model.learn(w)
	if s.watch.alarm(w, &s.model) && now >= s.patience.until {
		s.measure(w.n, holdUnits, 1.5, (*Search).confirm)
		return
	}
	s.recent.add(w)
	if e := s.due.choose(s, w, now); e != nil {
		if s.read.Turn {
			e(s, s.recent.take(w))
			return
		}
		s.wanted = true
	}
	s.measure(w.n, holdUnits, 1.5, (*Search).hold)
}

// A pool merges the windows in a row at the standing limit, up to about a
// second: the noise of the machine has about that memory, so what is older says
// less about now than it saves in noise.
type pool struct{ w window }

func (p *pool) add(w window) {
	q := &p.w
	if q.n != w.n || w.at-q.at > 1.5*w.t || q.t > 1 || q.even != w.even {
		*q = w
		return
	}
	t := q.t + w.t
	mean := func(a, b float64) float64 { return (a*q.t + b*w.t) / t }
	m := w
	m.x, m.busy, m.bound = mean(q.x, w.x), mean(q.busy, w.busy), mean(q.bound, w.bound)
	m.u, m.idle, m.q = mean(q.u, w.u), mean(q.idle, w.idle), mean(q.q, w.q)
	m.gc, m.alloc = mean(q.gc, w.gc), mean(q.alloc, w.alloc)
	m.t, m.comp = t, q.comp+w.comp
	*q = m
}

// take returns the pooled window and empties the pool.
func (p *pool) take(w window) window {
	m := p.w
	p.w = window{}
	if m.n != w.n {
		return w
	}
	return m
}

// appLimited follows the demand down while there is less work than permits.
// Such windows say nothing about a higher limit.
func (s *Search) appLimited(w window) {
	s.watch.reset()
	d := &s.due
	d.peak = max(d.peak, w.peak)
	if now := s.now(); w.bound >= 0.05 {
		d.trim, d.peak = now+trimEvery, 0
	} else if now >= d.trim {
		// A tenth more than the peak of two seconds leaves room for the next one.
		n := max(int(math.Ceil(1.1*float64(d.peak)))+1, int(0.8*float64(s.home)))
		if n = s.clamp(n); n < s.home {
			s.say(Reason{Kind: AppLimited, From: s.home, To: n, Gain: math.NaN()})
			s.home = n
		}
		d.trim, d.peak = now+trimEvery, 0
	}
	s.measure(s.home, holdUnits, 1.5, (*Search).hold)
}

const trimEvery = 2 // seconds between steps down while app-limited
