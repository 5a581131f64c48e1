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
	due   *direction // of which it is an experiment
	spent float64    // excess when it began
}

// kneeElasticity is the gain of throughput per growth of the limit below which
// more units are not worth it: knees of the usual kind end within 2 % of their
// maximum. From 0.08 to 0.13 the mean score is the same.
const kneeElasticity = 0.08

// trialPairs bound one trial. What it finds is remembered, so that few pairs at
// a time leave room to watch for change.
const trialPairs = 4

// tieNoise is the standard error up to which a tie is decided by how the evidence leans.
const tieNoise = 0.05

// compare runs a trial of b against the window a at the standing limit, as was due by d.
func (s *Search) compare(a window, b int, d *direction) {
	t := &trial{s: s, a: a.n, b: b, wa: a, began: s.now(), due: d, spent: s.excess}
	ln := math.Log(float64(b) / float64(a.n))
	t.need = kneeElasticity * min(math.Abs(ln), 0.35)
	if d == &s.due.far {
		switch {
		case s.served(a):
			t.need = servedGain
		case a.cpuLed():
			t.need = farGain
		}
	}
	if b < a.n {
		if s.served(a) {
			t.need = min(t.need, farLoss) // by the machine's use: more of this work's own
		}
		t.need = -s.slope.left(t.need)
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
	if s.served(t.wa) && s.served(t.wb) {
		e.addServed(d, v, t.wa, t.wb, &s.model)
	} else {
		e.add(d, v, t.wa, t.wb, &s.model)
	}
	t.done++
	z := (e.mean() - t.need) / e.err()
	switch {
	case !e.byCPU:
		t.note = ""
	case e.served:
		t.note = "by what the machine is busy"
	case t.wa.full():
		t.note = "all CPUs busy"
	default:
		t.note = "by CPU use"
	}
	down := 2.0
	sure := 4.0
	if t.due == &s.due.far && e.byCPU {
		sure = farSure
	}
	enough := t.done >= 2 || e.n > 2.5 && !t.fresh || t.b > t.a && z > sure
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
	case e.n > 6 && e.err() < tieNoise && (t.b < t.a && z > 1 || t.b > t.a && z > 0.8):
		// Without a rule for ties, noise keeps the limit where it is; with larger
		// errors, noise would move it.
		return better, true
	}
	return undecided, true
}
