package control

import "math"

// tryBelow looks at half the limit while every unit has a CPU to itself.
//
// Then fewer units do less work by all that the CPUs say, and a tie would be a
// trap: where a neighbour shares a CPU, half the units may look as good for a
// while. Yet units that slow each other down (caches, memory bandwidth, spin
// locks, hyperthreads, a disk) are best with fewer than one a CPU. So it asks
// for a clear gain of throughput over several pairs, ends at the first clear
// loss, and looks ever more rarely.
func (s *Search) tryBelow(a window) {
	b := &below{s: s, a: a.n, b: s.clamp(a.n / 2), wa: a}
	// A look usually loses half the throughput while it lasts. It must not cost
	// more than 2 % of the run so far, and the pauses double.
	price := 0.5 * (s.model.r + max(minWindow, min(s.model.r, belowFirst/(0.5*a.x))))
	if price > 0.02*s.now() {
		s.due.strict = 50 * price
		s.measure(a.n, holdUnits, 1.5, (*Search).hold)
		return
	}
	if b.b >= b.a {
		b.stay()
		return
	}
	s.probe(b.b)
	b.look(b.gotB)
}

const (
	// belowFirst units show the usual loss, a half, clearly enough.
	belowFirst = 30
	// belowGap is the longest pause between looks, s.
	belowGap = 32
	// belowPairs bound one look. Hyperthreads that gain 3 % by being left alone
	// take some fifty pairs to tell, and until then looking costs nothing.
	belowPairs = 64
	// belowGain is the gain that makes fewer units than CPUs worth having.
	belowGain = 0.005
)

type below struct {
	s      *Search
	a, b   int
	wa, wb window
	w, wd  float64 // Σ 1/v and Σ d/v of the pairs
	pairs  int
}

// look measures at the lower limit, no longer than there is hope.
func (b *below) look(next sequel) {
	b.s.measure(b.b, probeUnits, 30, next)
	b.s.meter.hope = b.wa.x
}

func (b *below) gotB(_ *Search, w window) {
	b.wb = w
	if b.closed() {
		return
	}
	b.look(func(_ *Search, w window) {
		b.wb = w
		b.s.measure(b.a, probeUnits, 30, b.gotA)
	})
}

func (b *below) gotA(_ *Search, w window) {
	b.wa = w
	if b.closed() {
		return
	}
	b.s.measure(b.a, probeUnits, 30, func(_ *Search, w window) {
		b.wa = w
		b.look(b.gotB)
	})
}

func (b *below) closed() bool {
	s := b.s
	if b.wa.n != b.a || b.wb.n != b.b || b.wa.bound < boundEnough || b.wb.bound < boundEnough {
		b.stay()
		return true
	}
	d, v := logRatio(b.wb.x, b.wa.x), s.model.noiseX(b.wa, b.wb)
	b.w, b.wd, b.pairs = b.w+1/v, b.wd+d/v, b.pairs+1
	mean, se := b.wd/b.w, 1/math.Sqrt(b.w)
	switch {
	case mean+2*se < belowGain, b.pairs >= belowPairs,
		hopeless(b.wb.comp, b.wa.x*b.wb.t, s.model.uneven()):
		s.stay(b.b, math.Expm1(mean), se, b.wa.cpuNote())
		b.stay()
		return true
	case b.pairs >= 3 && mean-2.5*se > belowGain:
		s.restart()
		s.move(b.b, math.Expm1(mean), se, "units slow each other down")
		s.model.forget()
		s.measure(b.b, holdUnits, 1.5, (*Search).hold)
		return true
	}
	return false
}

func (b *below) stay() {
	s := b.s
	s.due.strictGap = min(2*s.due.strictGap, belowGap)
	s.due.strict = s.now() + s.due.strictGap
	s.measure(b.a, holdUnits, 1.5, (*Search).hold)
}
