package control

import "math"

// tryUp compares the standing limit with one a step above.
func (s *Search) tryUp(w window) {
	d := &s.due.up
	n := w.n
	if s.large(w) {
		d.step = min(d.step, heapStep)
	}
	b := max(n+1, int(math.Round(float64(n)*math.Exp2(float64(d.step)/16))))
	if s.roomy(w) > 0 {
		// Further above it is a matter of memory, but for CPUs that are idle.
		b = min(b, max(2*s.roomy(w), int(min(w.roof(), float64(b)))))
	} else if roof := math.Ceil(1.2 * w.roof()); roof < float64(b) {
		b = max(n+1, int(roof))
	}
	if c := s.cliff.at(s.now()); b >= c {
		b = n
		if float64(c) > 1.1*float64(n) {
			b = max(n+1, int(math.Sqrt(float64(n)*float64(c))))
		}
	}
	b = s.clamp(b)
	if b <= n {
		d.backOff(s.now(), upMost, s.model.r)
		s.measure(n, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.compare(w, b, d)
}

// tryDown compares the standing limit with one a step below.
func (s *Search) tryDown(w window) {
	d := &s.due.down
	n := w.n
	b := min(n-1, int(math.Round(float64(n)*math.Exp2(-float64(d.step)/16))))
	if b = s.clamp(b); b >= n {
		d.backOff(s.now(), downMost, s.model.r)
		s.measure(n, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.compare(w, b, d)
}

// Longest intervals between steps of the fine search. Upwards it sets how soon
// a rise of capacity is noticed; downwards a needless probe costs throughput.
const (
	upMost   = 2.5
	downMost = 16
	loseMost = 32 // for a direction that lost more than a tenth
)

// backOff doubles the interval, to at most most seconds and at least ten residences.
func (d *direction) backOff(now, most, r float64) {
	d.wait = max(min(max(2*d.wait, 0.5), most), 10*r)
	d.at = now + d.wait
}

// decided closes a comparison of the fine search.
func (s *Search) decided(t *trial, v verdict, w window) {
	now := s.now()
	d, back := t.due, &s.due.down
	if t.b < t.a {
		back = &s.due.up
	}
	mean, se := s.pairs.mean(), s.pairs.err()
	ln := math.Abs(math.Log(float64(t.b) / float64(t.a)))
	d.last = mean
	switch v {
	case changed:
		if d == &s.due.far {
			d.backOff(now, farMost, s.model.r)
		}
		s.measure(t.a, holdUnits, 1.5, (*Search).confirm)
		return
	case better:
		s.move(t.b, math.Expm1(mean), se, t.note)
		s.watch.shift(mean)
		s.sides = [2]evidence{}
		if t.b > t.a && mean > 0.6*ln && !w.cpuLed() && s.cliff.at(now) > 2*t.b {
			s.restart()
			s.ramp(w, 0, (*Search).hold)
			return
		}
		d.at, d.wait = now, 0
		s.slope.step(mean)
		if d == &s.due.far {
			s.slope.found(0)
			s.watch.reset() // what is idle now is the next question
			if s.model.patchy() {
				back.step = 2 * firstStep // it may have been too far
			}
		}
		if t.b < t.a && w.full() && w.q <= 0.3*float64(t.b) {
			d.at = now + 1 // no hurry for the rest of the queue
		}
		back.wait = 2
		if math.Abs(mean) > 0.5*ln {
			back.wait = 8
		}
		back.at = now + back.wait
		if math.Abs(mean) <= 0.5*ln { // else the best is further on, and waiting for it is dearer
			s.rest(t, w)
		}
		s.measure(t.b, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.stay(t.b, math.Expm1(mean), se, t.note)
	lost := math.Abs(mean) > 0.5*ln && t.v < ln*ln && s.model.r < 0.25
	switch {
	case d == &s.due.far && v == undecided && s.pairs.served && mean > t.need && s.pairs.n < 2*trialPairs-1:
		d.at = now + 1 // it adds up, as below
	case d == &s.due.far:
		s.slope.found(mean)
		first := d.wait == 0
		d.wait = max(d.wait, farLeast/2)
		d.backOff(now, farMost, s.model.r)
		if !first { // which may have been bad luck
			d.at = max(d.at, now+(s.excess-t.spent)/farPrice)
		}
	case v == undecided && t.b < t.a && mean > t.need:
		d.at = now + 1 // the same again: what is known of it adds up
	case d.step >= firstStep:
		d.step, d.at = d.step/2, now+0.1
		s.rest(t, w)
	case lost && d.step > 1:
		d.step, d.at = d.step/2, now+0.5
		s.rest(t, w)
	default:
		most := float64(upMost)
		if t.b < t.a {
			most = downMost
		}
		if math.Abs(mean)-2*se > 0.1 {
			most = loseMost
		}
		d.backOff(now, most, s.model.r)
		s.rest(t, w)
	}
	s.measure(t.a, holdUnits, 1.5, (*Search).hold)
}
