package control

import "math"

// A climb doubles the limit while doubling pays. Where a step does not pay, it goes on
// over some stairs, because throughput may be flat for a stretch and rise again, or
// rise too little per step but a lot in total. It ends at the knee by Little's law, or
// where it set out if that was a look far above.
type climb struct {
	base   window  // the best window so far
	first  window  // the first step above base; its n is 0 before there is one
	top    int     // the highest stair that gained the most or, within its error, as much; 0 if none
	gain   float64 // its log gain
	prev   int     // limit below which the knee cannot be
	stairs int     // how many it may take
	units  float64 // completions that a window asks for
	stair  int     // how many it has taken above base
	fast   int     // steps in a row that gained all they could
	leapt  bool    // the newest step was a leap
	start  int     // the limit that it began at
	far    bool    // it is a look far above: start stands until it is beaten
	most   float64 // units in flight beyond home that stairs may cost, as Search.excess
	wave   bool    // base is of units that began together, before any had finished
	lost   float64 // throughput lost on the way, in units of home's, s
}

const (
	// rampStairs is how far the first climb looks, and farStairs a later one: 8 and 32
	// times the base.
	rampStairs = 2
	farStairs  = 5
	// steep is the share of a step's growth that it must gain by itself.
	steep = 0.3
	// stairPays is the log gain over all at which a stair is climbed to at once; what
	// gained less is left to a duel.
	stairPays = 0.25
	// worseOff is the log loss that ends a climb or a descent. Proportional work loses
	// 0.69 by a halving, a queue nothing.
	worseOff = 0.1
)

// ramp climbs from a.
func (s *Search) ramp(a window, stairs int) {
	s.climb = climb{base: a, start: a.n, prev: a.n, stairs: stairs, units: rampUnits, most: math.Inf(1)}
	s.step()
}

// step begins a stride from the base.
func (s *Search) step() {
	c := &s.climb
	c.stair, c.first, c.top, c.gain = 0, window{}, 0, 0
	if c.base.bound < boundLeast {
		s.land(c.base.n, math.NaN(), 0, "no caller waits for a permit")
		return
	}
	s.try(c.base.n)
}

// try measures above n, or ends the climb where nothing above is worth a try.
func (s *Search) try(n int) {
	c := &s.climb
	n2 := 2 * n
	c.leapt = false
	if c.fast >= 2 && c.base.u < 0.3 && n >= 8 {
		// Two doublings gained all that they could, and the CPUs are idle: the
		// knee is far, and each step costs a turn.
		n2, c.leapt = 4*n, true
	}
	n2 = s.clamp(n2)
	// A look takes some three residence times, and those grow with the limit.
	took, over := 3*s.work.r*float64(n2)/float64(n), float64(n2)/float64(s.home)-1
	if n2 <= n || (c.stair > 0 || c.far) && took > max(0.6, 0.05*s.now()) || c.stair > 0 && s.excess+over*took > c.most {
		s.knee()
		return
	}
	s.probe(n2)
	s.measure(n2, c.units, 1, climbing)
	if c.far || c.base.n > c.start { // the start of a first climb must not be judged in haste
		s.meter.hope = c.base.x * math.Exp(-worseOff-0.02)
	}
}

func (s *Search) climbed(w window) {
	c := &s.climb
	if w.n <= c.base.n { // a veto came in between
		s.land(w.n, math.NaN(), 0, "this is the highest limit allowed")
		return
	}
	full := c.base.full() && w.full()
	d, v := s.work.ratio(c.base, w, !full)
	ln := math.Log(float64(w.n) / float64(c.base.n))
	gained := c.stair == 0 && d > steep*ln || c.stair > 0 && d > stairPays+math.Sqrt(v)
	if d < math.Sqrt(v) || d < 2*math.Sqrt(v) && (full || w.crowd > 0) {
		gained = false
	}
	unsure := math.Abs(d-steep*ln) < math.Sqrt(v) && c.stair == 0 && w.comp < rampUnits
	if unsure && s.meter.turns < 4 {
		s.meter.turns *= 2 // long units: go on with this window
		return
	}
	// If units are so long that no stair is tried, one doubling too many is soon taken back,
	// while one too few may cost most of the throughput for a minute.
	gained = gained || unsure && !c.far && !full && w.crowd == 0 && w.t > 0.6
	if w.t < minWindow && !(gained && d > 2*math.Sqrt(v*max(1, max(w.cv2, c.base.cv2)/s.work.cv2))) {
		s.meter.quick = false // brief windows bring good news only: go on with this one
		return
	}
	c.lost += w.t * max(0, -d-math.Sqrt(v))
	if c.first.n == 0 {
		c.first = w
	}
	switch {
	case w.bound < boundLeast && gained: // all the work there is is in flight
		s.land(w.n, d, math.Sqrt(v), "no caller waits for a permit")
	case w.bound < boundLeast:
		s.knee()
	case gained:
		c.prev = c.base.n
		if d > 0.5*ln {
			c.prev = w.n
		}
		c.wave = false
		c.fast++
		if d < 0.9*ln {
			c.fast = 0
		}
		s.work.learn(w)
		s.work.doubt = s.work.doubt || full
		s.move(w.n, d, math.Sqrt(v), "")
		c.base = w
		s.step()
	case c.wave: // units that end together flatter the base: measure it again
		c.wave = false
		s.measure(c.base.n, rampUnits, 1, starting)
	case c.leapt && c.stair == 0:
		c.fast, c.first = 0, window{} // it may have leapt over the knee
		s.try(c.base.n)
	default:
		c.fast = 0
		if d > max(c.gain, 2*farNeed)-math.Sqrt(v) {
			c.top = w.n
		}
		c.gain = max(c.gain, d)
		if d < -worseOff-math.Sqrt(v) || c.stair >= c.stairs || 2*w.peak < w.n || c.base.full() && !c.far {
			s.knee()
			return
		}
		c.stair++
		s.try(w.n)
	}
}

// knee ends a climb that found nothing better above the base: Little's law
// gives the limit at which the throughput seen needs no queue.
func (s *Search) knee() {
	c := &s.climb
	l := &s.looks[far]
	l.target = 0
	if c.gain > 2*farNeed && (c.far || c.top >= 4*c.base.n) {
		l.target = c.top
	}
	if c.first.n == 0 { // nothing above could be tried
		c.first = c.base
	}
	d, v := s.work.ratio(c.base, c.first, true)
	n, se := c.base.n, math.Sqrt(v)
	if l.target == 0 && n == c.start && c.first.n > n {
		s.stay(c.first.n, d, se, "")
		if c.stairs > 0 && !c.far && !c.base.seated() {
			s.descend(c.base)
			return
		}
	}
	if d > -0.05-se && (!c.far || n != c.start) {
		k := 1.1 * max(c.base.x/c.base.weight, c.first.x/c.first.weight) * s.work.r0
		k = max(k, float64(c.prev)*math.Exp(max(0, d)))
		n = int(math.Ceil(min(max(k, float64(c.prev)), float64(c.first.n))))
	}
	s.land(n, d, se, "the knee by Little's law")
	if d < -worseOff-se && !c.far {
		// More hurts: the best may be far below, and looking up again can wait.
		s.looks[up].at, s.looks[down].at = s.now()+1, s.now()
	}
}

// land ends a climb at n.
func (s *Search) land(n int, gain, err float64, note string) {
	c := &s.climb
	l := &s.looks[far]
	target := l.target
	if c.far && n == c.start {
		if c.stair > 0 {
			l.since = s.now()
		}
		l.pay(s, c.lost)
		s.rest()
	} else {
		s.move(n, gain, err, note)
		if c.far {
			s.restart()
		}
		s.arrive()
	}
	if l.target = target; target > 0 {
		l.at = s.now()
	}
}

// arrive rests where a climb or a descent has ended. Looking down can wait.
func (s *Search) arrive() {
	s.looks[up].at, s.looks[down].at = s.now(), s.now()+1
	s.rest()
}

// descend halves the limit while that loses next to nothing: where a climb gained
// nothing at all, it may have begun far above the knee. One window a step will do,
// because duels settle the rest.
func (s *Search) descend(a window) {
	n := s.clamp(a.n / 2)
	if n >= a.n || a.seated() {
		s.arrive()
		return
	}
	s.climb.base = a
	s.probe(n)
	s.measure(n, rampUnits, 1.5, descending)
}

func (s *Search) descended(w window) {
	a := s.climb.base
	d, v := s.work.ratio(a, w, true)
	if w.n >= a.n || d < -worseOff {
		s.stay(w.n, d, math.Sqrt(v), "")
		s.arrive()
		return
	}
	s.work.learn(w)
	s.move(w.n, d, math.Sqrt(v), "fewer units do as much")
	w.x = max(w.x, a.x) // small losses must not add up
	s.descend(w)
}
