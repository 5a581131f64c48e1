package control

import (
	"fmt"
	"math"
)

type verdict uint8

const (
	undecided verdict = iota
	better
	worse
	abandoned // a limit could not be held, or the machine changed
)

// A duel compares the limit that stands, a, with another, b, in pairs of windows in
// the order A B B A A B …, so that a drift of the machine cancels out. What pairs have
// shown fades with a half-life of a minute, so that short duels of the same two limits
// add up to one decision.
type duel struct {
	a, b    int
	rules   rules
	x, u, o series  // of throughput, of CPU use, of what other loops do
	led     bool    // CPU use weighs in
	wa, wb  window  // the newest at each
	open    bool    // one window of the pair under way has been taken
	pairs   int     // in this sitting
	away    float64 // time spent at b in this sitting, s
	at      float64 // when the sitting began, s
	excess  float64 // Search.excess then
}

// rules say when a duel is decided.
type rules struct {
	need   float64 // the log gain that b must show; negative: the loss tolerated
	least  int     // pairs that decide
	most   int     // pairs in one sitting
	linger bool    // let long units finish, too
	tie    bool    // how the pairs lean decides in the end
}

const (
	// duelMemory is the half-life of what pairs have shown, s, and duelKept how many of them
	// count at most: work may change without any sign.
	duelMemory = 60
	duelKept   = 24
)

// about prepares a duel of a and b, keeping what is known of just these two.
func (d *duel) about(a, b int, now float64) {
	if d.a != a || d.b != b {
		*d = duel{a: a, b: b, at: now}
	}
	f := min(math.Exp2(-(now-d.at)/duelMemory), duelKept/max(d.x.n, 1))
	d.x.fade(f)
	d.u.fade(f)
	d.o.fade(f)
	d.at, d.pairs, d.open, d.away, d.led = now, 0, true, 0, false
}

// take notes a window and returns the limit to measure next, or a verdict.
func (d *duel) take(w window, k *work) (next int, v verdict) {
	if w.n == d.b {
		d.wb = w
	} else {
		d.wa = w
	}
	if d.wa.bound < boundLeast || d.wa.bound < boundEnough && d.b < d.a {
		return d.a, abandoned
	}
	if d.open = !d.open; d.open {
		return d.a + d.b - w.n, undecided
	}
	if v = d.weigh(k); v == undecided {
		next = w.n
	}
	return next, v
}

// weigh adds the pair just completed and judges.
func (d *duel) weigh(k *work) verdict {
	a, b := d.wa, d.wb
	g, vg := logRatio(b.x, a.x), k.noise(a, b)
	gu, vu := logRatio(b.u, a.u), k.clockNoise(a, b)
	if d.x.n > 0 {
		learn(&k.vx, g-d.x.mean(), 0.1)
	}
	d.x.add(g, vg)
	if d.u.n > 0 {
		learn(&k.vu, gu-d.u.mean(), 0.1)
	}
	d.u.add(gu, vu)
	if a.crowd > 0 && b.crowd > 0 {
		d.o.add(b.other-a.other, k.noiseOther(a, b))
	}
	d.led = k.byCPU(a, b) && math.Abs(d.u.mean()-d.x.mean()) < 2*math.Sqrt(d.x.variance())
	d.pairs++
	d.away += 2 * b.t
	gain, err := d.gain()
	z := (gain - d.rules.need) / err
	switch {
	case z < -2:
		return worse
	case z > 2 && d.pairs >= d.rules.least, z > 2 && d.x.n > float64(d.rules.least)+0.5:
		return better
	case d.pairs < d.rules.most:
		return undecided
	case d.rules.tie && d.x.n > 6 && z > 1:
		return better
	}
	return worse
}

// gain returns the log gain of b over a and its standard error.
func (d *duel) gain() (gain, err float64) {
	gain, v := d.x.mean(), d.x.variance()
	if d.led {
		gain, v = fuse(gain, v, d.u.mean(), d.u.variance(), math.Log(float64(d.b)/float64(d.a)))
	}
	if d.o.n > 0 {
		gain, v = social(gain, v, d.o.mean(), d.o.variance())
	}
	return gain, math.Sqrt(v)
}

// String says how the duel stands, such as "12 against 8: +2.1 % ± 0.8 % in 3 pairs, needs +2.8 %".
func (d *duel) String() string {
	gain, err := d.gain()
	return fmt.Sprintf("%d against %d: %+.1f %% ± %.1f %% in %.0f pairs, needs %+.1f %%",
		d.b, d.a, 100*math.Expm1(gain), 100*err, d.x.n, 100*math.Expm1(d.rules.need))
}

// A series sums up the log ratios of pairs.
type series struct {
	n, sum, squares float64
	v               float64 // variance expected of one
}

func (s *series) fade(f float64) { s.n, s.sum, s.squares = s.n*f, s.sum*f, s.squares*f }

func (s *series) add(d, v float64) {
	s.n, s.sum, s.squares, s.v = s.n+1, s.sum+d, s.squares+d*d, v
}

func (s *series) mean() float64 {
	if s.n == 0 {
		return 0
	}
	return s.sum / s.n
}

// variance is that of the mean: the scatter of the pairs, with the variance expected of them
// counted as three more.
func (s *series) variance() float64 {
	if s.n == 0 {
		return math.Inf(1)
	}
	scatter := max(0, s.squares-s.sum*s.sum/s.n)
	return (3*s.v + scatter) / (2 + s.n) / s.n
}
