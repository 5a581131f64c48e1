package control

import "math"

// scoutMost bounds the backing off of the scouts, s.
const scoutMost = 64

// scoutPays is how far above the standing limit a scout must have settled for
// the search to move there: less is for the fine search to find.
const scoutPays = 1.5

// scoutFree lets the first scouts look eight times as far as the limit where
// units are short, s of excess.
const scoutFree = 5

// sentinel looks at twice the limit: while the limit is the bottleneck's own,
// a rise of capacity elsewhere cannot be seen from below. 1.4 times was lost in
// the noise, 2 stands out by 4 to 6 standard deviations.
func (s *Search) sentinel(a window) {
	began, excess, n := s.now(), s.excess, s.clamp(2*a.n)
	s.probe(n)
	back := func(d float64, v float64) {
		now := s.now()
		s.due.sentLoss += 0.3 * (d - s.due.sentLoss)
		// It may cost 0.3 % of the throughput and 6 % more units in flight.
		s.due.sentinel = now + max(2.5, 8*s.model.r,
			(now-began)*max(0, -s.due.sentLoss)/0.003, (s.excess-excess)/0.06)
		s.due.up.at = max(s.due.up.at, now+min(s.due.up.wait, 0.5))
		s.stay(n, math.Expm1(d), math.Sqrt(v), "")
		s.measure(a.n, holdUnits, 1.5, (*Search).hold)
	}
	s.measure(n, probeUnits, 3, func(_ *Search, b window) {
		d, v := s.model.ratio(a, b)
		s.cliff.suspect(a, b, d, v)
		if d <= 0.2+math.Sqrt(v) {
			back(d, v)
			return
		}
		s.measure(n, probeUnits, 3, func(_ *Search, b2 window) {
			s.measure(a.n, probeUnits, 3, func(_ *Search, a2 window) {
				d2, v2 := s.model.ratio(a2, b2)
				m := (d + d2) / 2
				if m <= 0.2+math.Sqrt((v+v2)/4) {
					back(m, v)
					return
				}
				s.restart()
				s.move(n, math.Expm1(m), math.Sqrt(v), "")
				s.measure(n, rampUnits, 1.5, func(_ *Search, b window) { s.ramp(b, 2, (*Search).hold) })
			})
		})
	})
}

// scout climbs from the standing limit over stretches that gain nothing, for a
// better place behind them, and comes back if there is none. All scouts
// together may cost a twentieth of the time and a tenth more units in flight.
func (s *Search) scout(w window) {
	began, home, excess := s.now(), w.n, s.excess
	c := &climb{s: s, base: w, prev: home, look: 2, scout: home,
		most: excess + scoutFree + 0.1*(began-s.due.scouted)}
	c.then = func(_ *Search, got window) {
		now := s.now()
		if float64(got.n) > scoutPays*float64(home) {
			s.restart()
			s.hold(got)
			return
		}
		s.move(home, math.NaN(), 0, "what is above was no better")
		d := &s.due
		d.scouted = now
		d.scoutEvery = max(min(1.5*d.scoutEvery, scoutMost), 20*(now-began), (s.excess-excess)/0.1)
		d.scout = now + d.scoutEvery
		s.measure(home, holdUnits, 1.5, (*Search).hold)
	}
	c.step()
}
