package control

import "math"

// hold takes windows at the limit that stands, watches for change, and begins the look
// that is due.
func (s *Search) hold(w window) {
	s.home = w.n
	if w.bound < boundEnough {
		s.appLimited(w)
		return
	}
	if s.doing == confirming && s.usual.changed(w, &s.work) {
		s.changed(w)
		return
	}
	s.demand.peak = 0
	s.work.learn(w)
	if s.demand.slack && s.read.Waiting >= w.n { // a backlog: what was known above is out of date
		s.demand.slack = false
		s.ramp(w, 0)
		return
	}
	if s.usual.alarm(w, &s.work) {
		s.measure(w.n, holdUnits, 1.5, confirming)
		return
	}
	if !s.propose(w) {
		s.rest()
	}
}

// demand is how much work there has been while there was less than permits.
type demand struct {
	peak  int
	trim  float64 // when the limit is next lowered
	slack bool    // the limit has not bound lately
}

const trimEvery = 2 // seconds between steps down while app-limited

// appLimited follows the demand down while there is less work than permits. Where some of
// it waits at times, it looks up.
func (s *Search) appLimited(w window) {
	s.usual = detector{}
	d := &s.demand
	d.slack = true
	d.peak = max(d.peak, w.peak)
	if now := s.now(); w.bound >= boundLeast {
		d.trim, d.peak = now+trimEvery, 0
		if s.propose(w) {
			return
		}
	} else if now >= d.trim {
		// A tenth more than the peak of two seconds leaves room for the next one.
		n := max(int(math.Ceil(1.1*float64(d.peak)))+1, int(0.8*float64(s.home)))
		if n = s.clamp(n); n < s.home {
			s.say(Reason{Kind: AppLimited, From: s.home, To: n, Gain: math.NaN()})
			s.home = n
		}
		d.trim, d.peak = now+trimEvery, 0
	}
	s.rest()
}
