package control

import "math"

// A climb is one ramp under way: it doubles the limit while doubling pays.
type climb struct {
	s     *Search
	base  window  // the best window so far
	first window  // the first step above base
	tried bool    // first is valid
	prev  int     // limit below which the knee cannot be
	look  int     // steps looked ahead over a flat stretch
	k     int     // steps taken above base
	fast  int     // steps in a row that gained all they could
	leapt bool    // the newest step was a leap
	start int     // the limit that it began at
	scout int     // where a scout set out from; 0 if the climb is none
	most  float64 // units in flight beyond home that it may cost, as s.excess
	take  sequel  // got, bound once
	then  sequel
}

// ramp climbs from a and gives the window at the limit found to then.
func (s *Search) ramp(a window, look int, then sequel) {
	c := &climb{s: s, base: a, start: a.n, prev: a.n, look: look, most: math.Inf(1), then: then}
	c.step()
}

// step begins a stride from the base.
func (c *climb) step() {
	if c.take == nil {
		c.take = c.got
	}
	c.k, c.tried = 0, false
	if c.base.bound < boundEnough || c.base.full() || !c.s.read.Turn {
		c.finish(c.base)
		return
	}
	c.try(c.base.n)
}

// try measures above n, or ends the climb where nothing above is worth a try.
func (c *climb) try(n int) {
	s := c.s
	n2 := 2 * n
	c.leapt = false
	if c.fast >= 2 && c.base.u < 0.3 && n >= 8 {
		// Two doublings gained all that they could and the CPUs are bored: the
		// knee is far, and each step costs a turn.
		n2, c.leapt = 4*n, true
	}
	if roof := 1.2 * c.base.roof(); roof < float64(n2) {
		n2 = max(n+1, int(math.Ceil(roof)))
	}
	n2 = s.clamp(s.cliff.below(n2, s.now()))
	if n2 <= n || c.k > 0 && float64(n2) < 1.2*float64(n) {
		c.knee()
		return
	}
	if c.k > 0 {
		// A look takes some three residence times, and those grow with the limit.
		took := 3 * s.model.r * float64(n2) / float64(n)
		over := float64(n2)/float64(s.home) - 1
		if took > max(0.6, 0.05*s.now()) || s.excess+over*took > c.most {
			c.knee()
			return
		}
	}
	turns := 1.5
	if s.model.r > 0.3 {
		turns = 1
	}
	s.probe(n2)
	s.measure(n2, rampUnits, turns, c.take)
}

func (c *climb) got(_ *Search, w window) {
	s := c.s
	if w.n <= c.base.n { // a veto came in between
		c.finish(w)
		return
	}
	d, v := s.model.ratio(c.base, w)
	ln := math.Log(float64(w.n) / float64(c.base.n))
	gained := c.k == 0 && d/ln > 0.3 || c.k > 0 && d > 0.25+math.Sqrt(v)
	if w.t < minWindow && !(gained && s.model.sure(c.base, w, d, v)) {
		s.lengthen(c.take)
		return
	}
	s.cliff.suspect(c.base, w, d, v)
	if !c.tried {
		c.first, c.tried = w, true
	}
	if w.bound < boundEnough { // all the work there is is in flight
		if gained {
			c.finish(w)
		} else {
			c.knee()
		}
		return
	}
	if gained {
		c.prev = c.base.n
		if d > 0.5*ln {
			c.prev = w.n
		}
		c.fast++
		if d < 0.9*ln {
			c.fast = 0
		}
		s.model.learn(w)
		s.move(w.n, math.Expm1(d), math.Sqrt(v), "")
		c.base = w
		c.step()
		return
	}
	c.fast = 0
	if c.leapt && c.k == 0 {
		c.tried = false // it may have leapt over the knee
		c.try(c.base.n)
		return
	}
	if d < -0.1-math.Sqrt(v) || w.full() || c.k >= c.look {
		c.knee()
		return
	}
	c.k++
	c.try(w.n)
}

// knee ends a climb that found nothing better above the base: Little's law
// gives the limit at which the throughput seen needs no queue.
func (c *climb) knee() {
	if !c.tried {
		c.finish(c.base)
		return
	}
	s := c.s
	d, v := s.model.ratio(c.base, c.first)
	if c.base.n == c.start && c.look > 0 && c.scout == 0 && !c.base.seated() {
		s.stay(c.first.n, math.Expm1(d), math.Sqrt(v), c.base.cpuNote())
		s.descend(c.base, c.then)
		return
	}
	n := c.base.n
	if d > -0.05-math.Sqrt(v) {
		k := 1.1 * max(c.base.x, c.first.x) * s.model.r0
		k = max(k, float64(c.prev)*math.Exp(max(0, d)))
		n = int(math.Ceil(min(max(k, float64(c.prev)), float64(c.first.n))))
	}
	// The climb has just come from below; above is the news, unless it lost.
	s.due.up.at, s.due.down.at = s.now(), s.now()+1
	if d < -0.1-math.Sqrt(v) {
		s.due.up.at, s.due.down.at = s.due.down.at, s.due.up.at
		s.due.down.step = 2 * firstStep // more hurts: the best may be far below
	}
	if c.scout > 0 && float64(n) <= scoutPays*float64(c.scout) {
		s.stay(c.first.n, math.Expm1(d), math.Sqrt(v), "nothing better in sight")
		n = c.scout
	} else if n == c.base.n {
		s.stay(c.first.n, math.Expm1(d), math.Sqrt(v), c.base.cpuNote())
	} else {
		s.move(n, math.Expm1(d), math.Sqrt(v), "the knee by Little's law")
	}
	s.home = s.clamp(n)
	s.measure(n, probeUnits, 3, c.then)
}

func (c *climb) finish(w window) {
	c.s.move(w.n, math.NaN(), 0, "no more is wanted")
	c.then(c.s, w)
}

// cpuNote says in words what the CPUs have to do with a decision.
func (w window) cpuNote() string {
	switch {
	case w.full() && w.u > 0.8:
		return "all CPUs busy"
	case w.full():
		return "all CPUs busy, others' work included"
	}
	return ""
}

// A cliff is a limit at which throughput collapsed. Nothing goes up to it again
// for a while; where the retry finds it again, for longer.
type cliff struct {
	n     int
	until float64
}

// cliffHold is long against a probe and short against a change of the machine.
const cliffHold = 32

// suspect notes a cliff at c where it lost clearly against a: 12 % and three
// standard deviations. With two, false cliffs blocked recovery for as long as they stood.
func (k *cliff) suspect(a, c window, d, v float64) {
	if c.n <= a.n || a.bound < boundEnough || c.bound < boundEnough || d > -0.12-3*math.Sqrt(v) {
		return
	}
	k.note(c.n, c.at)
}

func (k *cliff) note(n int, now float64) {
	if k.n > 0 && now < k.until && k.n <= n {
		n = k.n
	}
	hold := float64(cliffHold)
	if k.n > 0 && now >= k.until && n <= k.n+k.n/8 {
		hold = 2 * cliffHold
	}
	*k = cliff{n: n, until: now + hold}
}

// at returns the cliff in force, or a limit beyond all.
func (k *cliff) at(now float64) int {
	if k.n > 0 && now < k.until {
		return k.n
	}
	return math.MaxInt
}

// below keeps n short of the cliff.
func (k *cliff) below(n int, now float64) int { return min(n, k.at(now)-1) }

// descend halves the limit while that loses next to nothing: where a climb
// gained nothing at all, it may have begun far above the knee. One window a step
// will do, for it is the fine search that settles.
func (s *Search) descend(a window, then sequel) {
	n := s.clamp(a.n / 2)
	back := func() {
		s.due.up.at, s.due.down.at = s.now(), s.now()+1
		s.measure(a.n, probeUnits, 3, then)
	}
	if n >= a.n || a.seated() {
		back()
		return
	}
	s.probe(n)
	s.measure(n, rampUnits, 1.5, func(_ *Search, w window) {
		d, v := s.model.ratio(a, w)
		if w.n >= a.n || d < descendLoss {
			s.stay(w.n, math.Expm1(d), math.Sqrt(v), "")
			back()
			return
		}
		s.model.learn(w)
		s.move(w.n, math.Expm1(d), math.Sqrt(v), "fewer do as much")
		s.descend(w, then)
	})
}

// descendLoss is the log ratio that a halving may lose. Proportional work loses
// 0.69, a queue nothing.
const descendLoss = -0.1
