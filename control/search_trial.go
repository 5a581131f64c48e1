package control

import "math"

type verdict uint8

const (
	undecided verdict = iota
	better
	worse
	changed
)

// A trial compares the standing limit a with b in pairs of windows, in the
// order A B B A A B …, so that a drift of the machine cancels out.
type trial struct {
	s     *Search
	a, b  int
	need  float64 // the log gain asked for; negative downwards: the loss tolerated
	done  int     // pairs taken
	wa    window
	wb    window
	v     float64 // variance of the newest pair by dispersion alone
	fresh bool    // the evidence was reset in this trial
	began float64 // s
	note  string
}

// kneeElasticity is the gain of throughput per growth of the limit below which
// more units are not worth it: knees of the usual kind end within 2 % of their
// maximum. From 0.08 to 0.13 the mean score is the same.
const kneeElasticity = 0.08

// trialPairs bound one trial. What it finds is remembered, so that few pairs at
// a time leave room to watch for change.
const trialPairs = 4

// compare runs a trial of b against the window a at the standing limit.
func (s *Search) compare(a window, b int) {
	t := &trial{s: s, a: a.n, b: b, wa: a, began: s.now()}
	ln := math.Log(float64(b) / float64(a.n))
	t.need = kneeElasticity * min(math.Abs(ln), 0.35)
	if b < a.n {
		t.need = -t.need
	}
	s.pairs = &s.sides[0]
	if b > a.n {
		s.pairs = &s.sides[1]
	}
	s.pairs.about(a.n, b, s.now())
	s.probe(b)
	s.measure(b, probeUnits, 3, t.gotB)
}

func (t *trial) gotB(_ *Search, w window) {
	t.wb = w
	t.s.cliff.suspect(t.wa, w, logRatio(w.x, t.wa.x), t.s.model.noiseX(t.wa, w))
	if t.closed() {
		return
	}
	t.s.measure(t.b, probeUnits, 3, func(_ *Search, w window) {
		t.wb = w
		t.s.measure(t.a, probeUnits, 3, t.gotA)
	})
}

func (t *trial) gotA(_ *Search, w window) {
	t.wa = w
	if t.closed() {
		return
	}
	t.s.measure(t.a, probeUnits, 3, func(_ *Search, w window) {
		t.wa = w
		t.s.measure(t.b, probeUnits, 3, t.gotB)
	})
}

// closed weighs the pair just completed and reports whether the trial ended.
func (t *trial) closed() bool {
	v, ok := t.weigh()
	if !ok {
		return false
	}
	w := t.wa
	if v == better {
		w = t.wb
	}
	t.s.decided(t, v, w)
	return true
}

func (t *trial) weigh() (verdict, bool) {
	s := t.s
	if t.wa.n != t.a || t.wb.n != t.b || t.wa.bound < boundEnough {
		return changed, true
	}
	if t.b > t.a && t.wb.bound < boundEnough {
		t.note = "no more is wanted"
		return worse, true
	}
	d, v := logRatio(t.wb.x, t.wa.x), s.model.noiseX(t.wa, t.wb)
	t.v = v
	ln := math.Log(float64(t.b) / float64(t.a))
	// More units cannot gain more than their share, nor fewer lose more.
	if r := d / ln; r > 0 && math.Abs(d) > math.Abs(ln)+4*math.Sqrt(v) {
		return changed, true
	}
	e := s.pairs
	if e.n > 2 && math.Abs(d-e.meanX()) > 3*math.Sqrt(v) {
		e.drop()
		t.fresh = true
	}
	e.add(d, v, t.wa, t.wb, &s.model)
	t.done++
	z := (e.mean() - t.need) / e.err()
	byCPU := e.byCPU
	if byCPU {
		t.note = "by CPU use"
		if t.wa.full() {
			t.note = "all CPUs busy"
		}
	}
	down := 2.0
	enough := t.done >= 2 || e.n > 2.5 && !t.fresh || t.b > t.a && z > 4
	if t.wa.crowded() {
		enough = t.done >= heapPairs
	}
	if t.b < t.a && t.wa.full() && t.wb.full() && !t.wb.crowded() && t.wb.q > 1+0.25*float64(t.b) {
		enough, down = true, 1 // even so, units wait for a CPU
	}
	switch {
	case z < -2:
		return worse, true
	case enough && (t.b > t.a && z > 2 || t.b < t.a && z > down):
		return better, true
	case t.done < trialPairs:
		return undecided, false
	case t.wa.crowded() && z > heapTie:
		return better, true
	case e.n > 6 && (t.b < t.a && z > 1 || t.b > t.a && z > 0.8):
		// Without a rule for ties, noise keeps the limit where it is.
		return better, true
	}
	return undecided, true
}

// evidence is what pairs of windows at two limits have shown so far. It is
// kept between trials and fades with a half-life of a minute, so that many
// short looks add up to one decision.
type evidence struct {
	a, b        int
	at          float64
	n           float64 // pairs
	sx, sxx, su float64 // sums of log ratios of throughput, their squares, and of CPU use
	vx, vu      float64 // variance of one pair
	cpu, byCPU  bool    // both ends live by CPU; mean and err speak of CPU use
	full        bool
}

const evidenceHalfLife = 60 // seconds

func (e *evidence) drop() { e.n, e.sx, e.sxx, e.su = 0, 0, 0, 0 }

// about turns to the pair (a, b): what is known of it fades, all else is dropped.
func (e *evidence) about(a, b int, now float64) {
	if e.a != a || e.b != b {
		*e = evidence{a: a, b: b, at: now}
		return
	}
	f := math.Exp2(-(now - e.at) / evidenceHalfLife)
	e.n, e.sx, e.sxx, e.su, e.at = e.n*f, e.sx*f, e.sxx*f, e.su*f, now
}

func (e *evidence) add(d, v float64, a, b window, k *model) {
	du := logRatio(b.u, a.u)
	if e.n > 0 {
		vx := k.scatter(a, b)
		*vx += 0.1 * (min(sq(d-e.meanX()), 6**vx) - *vx)
		k.vu += 0.1 * (min(sq(du-e.su/e.n), 6*k.vu) - k.vu)
	}
	e.n, e.sx, e.sxx, e.su = e.n+1, e.sx+d, e.sxx+d*d, e.su+du
	e.vx, e.vu = v, k.noiseU(a, b)
	e.full = a.full() && b.full()
	if e.full && e.b < e.a {
		e.vu = tickNoise(a, b) // busy is busy: what was learnt of CPU use varying does not apply
	}
	e.cpu = byCPU(a, b)
	e.byCPU = false
	if e.cpu {
		worse := e.su/e.n - e.meanX()
		if e.b < e.a {
			worse = -worse
		}
		e.byCPU = worse < 2*e.errX()
	}
}

func sq(x float64) float64 { return x * x }

func (e *evidence) meanX() float64 { return e.sx / e.n }

// errX is the standard error of meanX: the scatter of the pairs, with the
// variance expected of them counted as three more.
func (e *evidence) errX() float64 {
	scatter := max(0, e.sxx-e.sx*e.sx/e.n)
	return math.Sqrt((3*e.vx + scatter) / (2 + e.n) / e.n)
}

// mean returns the log ratio of b's worth over a's.
func (e *evidence) mean() float64 {
	if e.n == 0 {
		return 0
	}
	if e.byCPU {
		return e.su / e.n
	}
	return e.meanX()
}

// err returns the standard error of mean.
func (e *evidence) err() float64 {
	if e.n == 0 {
		return 0
	}
	if e.byCPU {
		return math.Sqrt(e.vu / e.n)
	}
	return e.errX()
}
