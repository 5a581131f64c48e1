package control

import "math"

// Units that follow each other are often alike: the files of a directory, the
// customers of a town. Then windows differ by what was in them, and their
// throughputs by far more than the number of units and the evenness of their times
// explain: a search through sources, with 19,000 files a second and windows of
// 0.1 s, went up and down by half, and each time a limit was praised or blamed for it.
//
// How much counts of events vary beyond chance is the index of dispersion for counts:
// their variance over their mean (D. R. Cox, P. A. W. Lewis, "The statistical analysis
// of series of events", 1966). It takes the place of the dispersion of the residence
// where it is clearly larger.
const (
	// pieceLeast is the least length of the pieces of a window that are compared, s:
	// half of the shortest window.
	pieceLeast = minWindow / 2
	// pieceUnits must finish in a piece, so that the log of its count is close to
	// normal and CPU ticks and timers do not show.
	pieceUnits = 64
	// pieceTurns is the least length of a piece in residences: units that were admitted
	// together finish together.
	pieceTurns = 4
	// pieceRate is the weight of the newest comparison, once there are as many. With 0.1
	// the few odd windows after a change of all waits were taken for patches.
	pieceRate = 0.05
	// pieceFew comparisons say little.
	pieceFew = 3
	// pieceNoise is by how much a machine is faster or slower from one to the next: log.
	pieceNoise = 0.03
	// pieceOdd is by how many standard errors of such units pieces seldom differ, and
	// pieceOften the share of the comparisons that must. The work or the machine may
	// change within a window, and that is one comparison.
	pieceOdd   = 2
	pieceOften = 0.4
	// patchy is by how much the index must exceed the dispersion of the residence.
	patchy = 3
	// patchMost is the variance of the log of a window's throughput that patches explain
	// at most: work may change so that few units are in a window, and what is then known
	// of it must not make the law deaf.
	patchMost = 0.25
	// patchWindow is how long a window may become so that it holds as much as it
	// should, s.
	patchWindow = 0.5
)

// pieces compares a window's pieces with each other.
type pieces struct {
	at     float64 // start of the piece under way, s
	done   int64   // completed by then
	rate   float64 // of the one before it, units/s; 0 if there is none
	units  float64
	sum    float64 // of |log ratio| in standard errors of unit dispersion
	odd    float64 // comparisons that differ much
	number float64
}

func (p *pieces) begin(r Reading) { *p = pieces{at: r.At.Seconds(), done: r.Completed} }

func (p *pieces) see(r Reading, residence, cv2 float64) {
	t, c := r.At.Seconds()-p.at, float64(r.Completed-p.done)
	if t < max(pieceLeast, pieceTurns*residence) || c < pieceUnits {
		return
	}
	if p.rate > 0 {
		p.compare(p.rate, c/t, p.units, c, cv2)
	}
	p.at, p.done, p.rate, p.units = r.At.Seconds(), r.Completed, c/t, c
}

// compare takes note of two throughputs that rest on so many units.
func (p *pieces) compare(x, y, xUnits, yUnits, cv2 float64) {
	d, v := math.Abs(logRatio(y, x)), 1/xUnits+1/yUnits
	p.sum += d / math.Sqrt(v)
	p.number++
	if d > pieceOdd*math.Sqrt(cv2*v+pieceNoise*pieceNoise) {
		p.odd++
	}
}

// inRow reports whether w and l, the window right before it at the same limit, can be
// compared like pieces.
func (w window) inRow(l window) bool {
	return w.n == l.n && !w.crowded() && !w.even && !l.even && math.Abs(w.at-w.t-l.at) < 0.01 && min(w.comp, l.comp) >= pieceUnits &&
		min(w.t, l.t) >= pieceTurns*w.r && min(w.bound, l.bound) >= boundEnough
}

// A patches knows how patchy the work is.
type patches struct {
	mean   float64 // of |log ratio| in standard errors of unit dispersion
	odd    float64 // share of the comparisons
	number float64 // comparisons
	found  bool
}

func (k *patches) learn(p pieces) {
	if p.number == 0 {
		return
	}
	k.number += p.number
	f := max(p.number/k.number, 1-math.Pow(1-pieceRate, p.number))
	k.mean += f * (p.sum/p.number - k.mean)
	k.odd += f * (p.odd/p.number - k.odd)
	switch {
	case k.odd >= pieceOften:
		k.found = k.found || k.number >= pieceFew
	case k.odd < pieceOften/2:
		k.found = false
	}
}

// index returns the index of dispersion for counts, or 0 where chance explains them. The mean
// of absolute values minds single hiccups less than that of squares; of a normal
// variable it is the standard deviation times the root of 2/π.
func (k *patches) index() float64 {
	if !k.found {
		return 0
	}
	return k.mean * k.mean * math.Pi / 2
}

// see takes note of any window, and reports whether it shows that the work is patchy.
// Then what was learnt of the limits around is worth nothing, and what is under way is
// given up: chance was taken for their effect.
func (s *Search) see(w window) bool {
	before := s.model.patchy()
	s.model.see(w)
	return !before && s.model.patchy()
}
