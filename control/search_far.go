package control

import "math"

// CPUs can fill slowly. Where units go through two queues that are equally fast, n of them
// keep each busy for about n/(n+1) of the time: each doubling gains less than a step must
// (see kneeElasticity), and all of them a tenth. Small steps end there at 0.93 of the best.
//
// But where CPU use says how well the work does, idle time says how much more there is to
// be had. So while more than a little is idle and the neighbours gain nothing, the
// standing limit is compared with a multiple of it. And since the way back leads through
// places each of which is hardly worse than the one before, what they lose is added up.
const (
	// farRest is the log gain to be had below which nothing is tried, and farNear where the
	// work is not patchy, so that the neighbours tell by themselves how much they gain:
	// with 0.03, changes of the machine were noticed later, for a look was under way.
	farRest = 0.025
	farNear = 0.045
	// farGain is the log gain that a look must show where this work's own CPU use tells it:
	// N* is within 2 % of the best, and some of that is given away on the way back.
	farGain = 0.01
	// farStep is how far a look goes. Where the work is patchy each takes seconds, so they
	// are fewer and go further: farStride, and farLeap where more than farWide is to be had.
	farStep   = 2
	farStride = 4
	farLeap   = 8
	farWide   = 0.06
	// farOthers is the share of the CPUs that others may use where they do not work for
	// us: what is idle besides a neighbour is not all ours to have.
	farOthers = 0.1
	// farLeast and farMost bound the pauses between looks that found nothing, s, and
	// farPrice is what all together may add to the units in flight.
	farLeast = 8
	farMost  = 64
	farPrice = 0.1
	// farWorth is how far a look must go at least, where something is in the way.
	farWorth = 1.5
	// farSure is how many standard errors beyond its gain need one pair only: CPU time is
	// known better than work, and a look is not to take longer than it must.
	farSure = 3
	// farLoss is the log loss that all steps down together may bring against what a look
	// has seen: with 0.015 the limit came back to half of N*, 0.02 below the best.
	farLoss = 0.006
)

// potential returns the log gain that idle CPUs leave to be had at most, where CPU time
// is what the work is about; else 0.
func (s *Search) potential(w window) float64 {
	idle := s.watch.idleOf(w)
	switch {
	case s.served(w), w.attended() && !w.cpuLed():
		return logRatio(1, 1-idle)
	case w.cpuLed() && !w.collecting() && !w.full() && 1-w.idle-w.u < farOthers:
		return logRatio(w.u+idle, w.u)
	}
	return 0
}

// lookFar reports whether a look is worth it where the fine search has found nothing
// above, or cannot find anything.
func (s *Search) lookFar(w window, now float64) bool {
	if now < s.due.far.at {
		return false
	}
	if s.model.patchy() {
		return s.potential(w) > farRest
	}
	return s.due.up.step < firstStep && s.potential(w) > farNear
}

// tryFar looks at a multiple of the standing limit.
func (s *Search) tryFar(w window) {
	n, d := w.n, &s.due.far
	step := farStep
	if s.model.patchy() {
		step = farStride
		if s.potential(w) > farWide {
			step = farLeap
		}
	}
	b := s.clamp(step * n)
	if c := s.cliff.at(s.now()); b >= c {
		b = max(n, int(math.Sqrt(float64(n)*float64(c))))
	}
	if float64(b) < farWorth*float64(n) {
		d.backOff(s.now(), farMost, s.model.r)
		s.measure(n, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.compare(w, b, d)
}

// A slope is what has been given away on the way down since a look far above.
type slope struct {
	looked bool
	lost   float64 // log
}

// left returns what a step down may lose, given what it may lose without a look.
func (p *slope) left(need float64) float64 {
	if !p.looked {
		return need
	}
	return min(need, max(0, farLoss-p.lost))
}

// found takes note of a look that saw so much more than there is at the standing
// limit.
func (p *slope) found(gain float64) { *p = slope{looked: true, lost: max(0, gain)} }

// step takes note of a move by a log gain.
func (p *slope) step(gain float64) { p.lost = max(0, p.lost-gain) }
