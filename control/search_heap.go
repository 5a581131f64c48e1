package control

import "math"

// Units that hold memory take a while to settle at a higher limit: the heap has
// to grow first, with memory that was given back to the system and must be
// faulted in again. With 4 MB a unit under a limit of 96 MB the throughput was
// halved for some 0.4 s after each raise, and no raise ever paid. The collections
// are the clock of that: they nearly stop while the heap grows.
const (
	heapBusy    = 20  // collections/s from which memory is what the work is about
	heapSettles = 10  // collections in which the heap has found its new size
	heapMost    = 0.5 // s
	// heapWindow is the least length of a window that is to tell small gains, s.
	// Pages that the collector gives back and work that takes them again come in
	// bursts: throughputs of 0.1 s vary by a third with 400 kB a unit and by 22 % with
	// 4 MB, like white noise from 0.1 to 5 s.
	heapWindow = 0.5
	// heapNoise is what such a window is taken to vary by at first, until that is
	// known of the work: log.
	heapNoise = 0.2
)

// collecting reports whether the collector has a say in how fast the work is.
// Its time counts as the work's own then, and so does that of the pages it gives
// back to the system: busy CPUs do not mean that all is done that can be.
func (w window) collecting() bool { return w.gc >= heapBusy }

// crowded reports whether that is so with half of the CPUs busy at least: what is
// far above is a matter of memory then, not of waiting.
func (w window) crowded() bool { return w.collecting() && w.u > 0.5*(w.u+w.idle) }

// seeBursts learns the noise of crowded work from windows in a row: it is far more
// than the number of units explains. What follows is not judged by it.
func (k *model) seeBursts(w window) {
	l := k.last
	if !w.crowded() || w.t < heapWindow {
		return
	}
	if k.burst == 0 {
		k.burst = max(k.vx, heapNoise*heapNoise)
	}
	if w.n == l.n && l.t >= heapWindow && w.at-w.t-l.at < 0.01+0.1*w.t {
		k.burst += 0.1 * (min(sq(logRatio(w.x, l.x)), 0.25) - k.burst)
	}
}

// scatter returns where the noise of a pair of such windows is kept.
func (k *model) scatter(a, c window) *float64 {
	if k.burst > 0 && (a.crowded() || c.crowded()) {
		return &k.burst
	}
	return &k.vx
}

const (
	// heapWorth is the size of the live heap that a look aims at. Go's collector
	// runs whenever the heap has doubled, and at 4 MB at the earliest, so a live
	// heap of 40 MB is collected a tenth as often as a tiny one. A larger one
	// gains next to nothing more, and leaves the caches: blocks of 0.4 to 8 MB that are
	// written and read did most where 32 to 48 MB were in flight, with GOMEMLIMIT at
	// 96 and 192 MB and without.
	heapWorth = 40 << 20
	// heapOften is how many collections a second a look takes. Blocks of 4 MB lose some
	// 5 ms of CPU time to each, most of it to pages that are faulted in again, and small
	// units far less: fewer collections leave little to gain. A search through files,
	// with 24 a second, was looked at with thousands of units for 3 s in vain.
	heapOften = 50
	// heapUnit is what a unit must allocate at least: as much as its goroutine with
	// its stack. The heap is to be larger by work that waits for its turn, not by stacks.
	heapUnit = 10e3
	// heapSeen is what the units may hold when a look asks on its way whether the heap is
	// larger at all: if it is, it is collected a quarter as often as the least one, of
	// 4 MB, and half as often if units hold half of what they allocate.
	heapSeen = 16 << 20
	// heapNone is the part of the collections for each unit from which it is not.
	heapNone = 0.8
	// heapPart of GOMEMLIMIT is as far as it goes: the heap doubles until it is
	// collected, and an eighth is left for all that is not heap.
	heapPart = 7.0 / 16
	// heapFar is how far above the standing limit a look must be: nearer is for the
	// fine search.
	heapFar = 1.5
	// heapStride is how far a look goes in one step. A ceiling of memory, threads or
	// files that is further above the units in flight is not mentioned (see package
	// sense), and after a window it was looked at anew.
	heapStride = 8
	// heapTurn is the longest residence that the units may come to there if nothing is
	// gained, s: it takes several of these to tell.
	heapTurn = 1
	// heapGain is the log gain that a look must show.
	heapGain = 0.1
	// heapSure is the log gain that needs no second window below: no machine drifts
	// by two thirds while a look lasts.
	heapSure = 0.5
	// heapRarer is the part of the collections for each unit that may be left, or there
	// is no larger heap.
	heapRarer = 0.5
	// heapFirst and heapGaps bound the pauses between looks, s. They also are 50
	// times as long as the look was, which may lose most of the throughput.
	// The first is due after heapSoon: calls that are over by then lose nothing to it.
	heapSoon  = 0.5
	heapFirst = 4
	heapGaps  = 64
	// heapStep is the step up from a heap of that size, in sixteenths of an octave: a
	// little more may be a little better, half as much again lost a quarter where
	// GOMEMLIMIT was in the way.
	heapStep = 4
	// heapRest is how long the fine search rests where a look has led, s: the
	// place was reckoned, not merely passed, and comparing it with its neighbours
	// is dear (see heapDear).
	heapRest = 4
	// heapPairs are needed to tell: bursts are not normal, and of two pairs one may
	// be all burst.
	heapPairs = 3
	// heapTie is how many standard errors of four pairs decide a comparison that three
	// have not: one that asks for certainty would take longer than the work lasts.
	heapTie = 0.5
	// heapDear is how many times its length a comparison of such work is to
	// pause: with its noise each takes seconds, at a place that may be worse by half.
	heapDear = 5
)

// roomy returns the limit at which the units in flight hold a heap that is worth
// having, or 0 if collections hardly matter or the units are too small for that.
// Beside its stack a unit holds at most what it allocates, so no more than that can
// come of it.
func (s *Search) roomy(w window) int {
	if !w.crowded() || w.x <= 0 || w.alloc < heapUnit*w.x {
		return 0
	}
	bytes := float64(heapWorth)
	if s.read.HeapLimit > 0 {
		bytes = min(bytes, heapPart*s.read.HeapLimit)
	}
	return s.clamp(int(bytes * w.x / w.alloc))
}

// tryHeap looks at the limit at which the live heap is large enough to be left
// alone by the collector. Between here and there throughput may well fall: units
// that share a small heap are in each other's way before they make it large. With
// 400 kB a unit on 2 CPUs, 4 to 12 units did a third of what 2 did, and 64 did 1.5
// times as much. So no climb finds it.
func (s *Search) tryHeap(a window) {
	if !s.far(a) { // the newest window said so, but not those of the last second
		s.measure(a.n, holdUnits, 1.5, (*Search).hold)
		return
	}
	l := &heapLook{s: s, a: a, n: s.roomy(a), step: a.n, began: s.now()}
	s.probe(l.n)
	l.stride(s, a)
}

// far reports whether a larger heap is more than a step of the fine search away, and
// can be looked at in a short time.
func (s *Search) far(w window) bool {
	n := float64(s.roomy(w))
	return n >= heapFar*float64(w.n) && n <= heapTurn*w.x
}

// large reports whether the heap has about the size that is worth having, or more.
func (s *Search) large(w window) bool {
	n := s.roomy(w)
	return n > 0 && float64(n) < heapFar*float64(w.n)
}

// heaps says when the next look is due. What a look has found outlives a restart
// of the search.
type heaps struct{ at, gap float64 } // s

// lost takes note of a look that took so long and gained nothing.
func (h *heaps) lost(now, took float64) {
	h.gap = max(h.gap, heapFirst)
	h.at = now + max(h.gap, 50*took)
	h.gap = min(2*h.gap, heapGaps)
}

// A heapLook is one such look under way.
type heapLook struct {
	s     *Search
	a, b  window
	n     int
	step  int // where the newest step led
	began float64
}

// stride goes on from the limit of the window, as far as is safe in one step.
func (l *heapLook) stride(s *Search, b window) {
	if b.n > l.a.n && float64(b.n)*l.a.alloc >= heapSeen*l.a.x && l.rarity(b) > heapNone {
		l.inVain(b)
		return
	}
	next := l.stride
	if l.step *= heapStride; l.step >= l.n {
		l.step, next = l.n, l.first
	}
	s.measure(l.step, probeUnits, 3, next)
}

// rarity returns by how many collections a unit is interrupted, as a multiple of those
// below.
func (l *heapLook) rarity(b window) float64 { return b.gc / b.x / (l.a.gc / l.a.x) }

// inVain ends a look at a heap that is no larger.
func (l *heapLook) inVain(b window) {
	l.s.heaps.gap = heapGaps
	d, v := l.s.model.ratio(l.a, b)
	l.back(b.n, d, v, "its heap is no larger")
}

// first weighs the first window above. The heap may still be growing in it, so
// only a gain counts; but if the collections are as many, it holds no more than
// before: what the units allocate is garbage at once.
func (l *heapLook) first(s *Search, b window) {
	switch d, v := s.model.ratio(l.a, b); {
	case d > heapGain+math.Sqrt(v):
		l.second(s, b)
	case b.n == l.n && l.rarity(b) > heapRarer:
		l.inVain(b)
	default:
		s.measure(l.n, probeUnits, 3, l.second)
	}
}

// second goes back for another window below, unless there is no gain.
func (l *heapLook) second(s *Search, b window) {
	l.b = b
	switch d, v := s.model.ratio(l.a, b); {
	case b.n != l.n, d <= heapGain+math.Sqrt(v):
		l.back(b.n, d, v, "a larger heap")
	case d > heapSure+math.Sqrt(v):
		l.stay(d, v)
	default:
		s.measure(l.a.n, probeUnits, 3, l.third)
	}
}

func (l *heapLook) third(s *Search, a window) {
	d, v := s.model.ratio(l.a, l.b)
	d2, v2 := s.model.ratio(a, l.b)
	d, v = (d+d2)/2, (v+v2)/4
	if d <= heapGain+math.Sqrt(v) {
		l.back(l.n, d, v, "a larger heap")
		return
	}
	l.stay(d, v)
}

func (l *heapLook) stay(d, v float64) {
	s := l.s
	s.restart()
	s.model.forget()
	s.move(l.n, math.Expm1(d), math.Sqrt(v), "a larger heap is collected less often")
	s.settleHeap()
	s.measure(l.n, holdUnits, 1.5, (*Search).hold)
}

func (l *heapLook) back(n int, d, v float64, note string) {
	s := l.s
	s.stay(n, math.Expm1(d), math.Sqrt(v), note)
	s.heaps.lost(s.now(), s.now()-l.began)
	s.measure(l.a.n, holdUnits, 1.5, (*Search).hold)
}

// settleHeap lets the fine search begin later.
func (s *Search) settleHeap() {
	at := s.now() + heapRest
	s.due.up.at, s.due.down.at = at, at
}

// rest puts the next comparison off where one is dear.
func (s *Search) rest(t *trial, w window) {
	if !w.crowded() {
		return
	}
	now := s.now()
	at := now + heapDear*(now-t.began)
	s.due.up.at, s.due.down.at = max(s.due.up.at, at), max(s.due.down.at, at)
}
