package sweetspot

import (
	"math/bits"
	"time"
)

const (
	// pieceMax is the longest piece that goes to serial: short beside what it
	// delays the next look, long beside the dozen Joins that lead to it.
	pieceMax = int64(40 * time.Microsecond)

	// timedMin is the shortest piece that is always timed; two looks at the clock
	// are a fortieth of it. Shorter ones go by what is expected of them until that
	// adds up to as much, or there were guessesMost of them: else one that takes far
	// longer would hide behind them, and who waits for work would not be seen.
	// While it decides when a thread is woken, each is timed: that of a computation
	// known to last.
	timedMin    = int64(4 * time.Microsecond)
	guessesMost = 8

	// sureness is how many times longer than what was guessed before it a half must
	// be to teach anything: it ends by the clock, but began by guess, and the error
	// of the guess would count as its own. Large halves would be learnt to be small.
	sureness = 4

	// sampled is the number of samples that make an expectation: one more than the
	// halves of one Join.
	sampled = 3

	// A list is listLength Joins on one path of which one half took less than
	// scrap each. Trees have paths as long only where they are lists, too: fib(38)
	// has 38 Joins on its longest path, but large halves along it.
	listLength = 32
	listStart  = 8
	scrap      = int64(2500 * time.Nanosecond)

	// listPace is the time per Join above which a list stays with Join, which
	// then costs less than a twentieth of the time.
	listPace = int64(400 * time.Nanosecond)

	// leanMax votes for the other half to be the larger make the halves change
	// places. Fewer may come from one uneven part.
	leanMax = 16
)

// A grain knows how long second halves take. Halves of one Join are of
// related size, whatever the shape of the tree and the place in it, so the time
// of the first tells what to expect of the second; depth tells much less where
// trees are not balanced.
//
// It also knows which half to run first: the larger. The other waits longer
// then, and can be taken.
type grain struct {
	after   expectations
	learnt  bool // something that is worth remembering
	dropped bool // a piece was given to serial in this computation
	lean    int8 // votes for the second half to be the larger
	reverse bool // b runs first

	// To see lists, whichever half is the rest of the list. Where Joins go down
	// and down and no first half ends, the other one is run first for a try.
	trying   bool
	descent  int32 // Joins since a half last ended
	patience int32 // how many are too many
	streak   int32 // first halves that were next to nothing, on the path to here
	streakAt int64 // when it was at listStart
}

// expectations are of second halves, by which one that is and by the length in
// bits of the first one's time.
type expectations [2][lengths]expectation

// An expectation is the largest time seen lately, in ns.
type expectation struct {
	ns      uint32
	samples uint32
}

// lengths covers first halves of up to 8 ms. What goes with longer ones is no
// small piece.
const lengths = 24

func (t *expectations) of(reversed bool, first int64) *expectation {
	return &t.from(reversed, first)[0]
}

// from returns the expectations of first halves of such times, and of longer ones.
func (t *expectations) from(reversed bool, first int64) []expectation {
	side := 0
	if reversed {
		side = 1
	}
	return t[side][min(bits.Len64(uint64(max(first, 0))), lengths-1):]
}

// descend is called when a Join begins, and says whether to run b first.
func (g *grain) descend() bool {
	g.descent++
	if g.descent > listLength+g.patience {
		g.descent = 1
		g.try()
	}
	return g.reverse
}

// ascend is called when a Join ends.
func (g *grain) ascend() { g.descent, g.streak = 0, 0 }

// try starts or ends a try to run the other half first.
func (g *grain) try() {
	g.reverse = !g.reverse
	g.trying = !g.trying
	if !g.trying {
		g.patience = 2*g.patience + listLength
	}
}

// small reports whether the second half should go to serial, given the time of
// the first.
func (g *grain) small(reversed bool, first int64) bool {
	g.descent = 0
	if g.piece(reversed, first) {
		return true
	}
	if first <= scrap {
		g.streak++
		return g.streak >= listStart && g.list()
	}
	g.streak = 0
	if g.trying && reversed == g.reverse {
		g.try()
	}
	return false
}

// piece reports whether a second half is known to be no longer than a piece.
func (g *grain) piece(reversed bool, first int64) bool {
	e := g.after.of(reversed, first)
	return e.samples >= sampled && e.ns <= uint32(pieceMax)
}

// larger reports whether a second half may be longer than a piece although its
// first half, which has not ended, has taken no longer so far: such halves have
// been seen beside longer ones. In a list they are not.
func (g *grain) larger(reversed bool, first int64) bool {
	for _, e := range g.after.from(reversed, first) {
		if e.ns > uint32(pieceMax) {
			return true
		}
	}
	return false
}

// list reports whether a list has been found.
func (g *grain) list() bool {
	switch g.streak {
	case listStart:
		g.streakAt = monotonic()
	case listLength:
		if monotonic()-g.streakAt < (listLength-listStart)*listPace {
			g.trying = false
			return true
		}
		// The items are worth a Join each. The rest should come first, so that
		// they wait where others can take them.
		g.streak = 0
		if g.trying {
			g.try()
		} else {
			g.reverse = !g.reverse
		}
	}
	return false
}

// dropped returns serial(x), and learns how long it took, if first is sure.
func dropped[X, R any](j *Joiner, serial func(X) R, x X, reversed bool, first int64, sure bool) R {
	e := j.after.of(reversed, first)
	list := j.streak >= listLength
	j.dropped = true
	if j.guesses < guessesMost && j.guessed+int64(e.ns) < timedMin && !list && !j.early {
		r := serial(x)
		j.guess(int64(e.ns))
		return r
	}
	began := monotonic()
	j.sync(began)
	r := serial(x)
	j.jump(monotonic())
	if list {
		j.streak = 0 // and offer nothing: what waits is items of the list
		return r
	}
	if sure {
		j.learn(reversed, first, j.now-began)
	}
	j.offer()
	return r
}

// surprise is told how much longer than expected some Joins took together. If a
// piece may be to blame that was too short to time, nothing is known of these
// any more.
func (g *grain) surprise(ns int64) {
	if ns <= 2*pieceMax || !g.dropped {
		return
	}
	for side := range g.after {
		for i := range g.after[side] {
			if e := &g.after[side][i]; int64(e.ns) < timedMin {
				e.samples = 0
			}
		}
	}
}

// learn notes how long a second half took.
func (g *grain) learn(reversed bool, first, second int64) {
	e := g.after.of(reversed, first)
	e.ns = uint32(min(max(second, int64(e.ns-e.ns/8)), 1<<32-1))
	e.samples++
	if e.samples == sampled {
		g.learnt = true
	}
	if second > 2*pieceMax {
		e.samples = 0
	}
	g.weigh(reversed, first, second)
}

// weigh makes the larger half come first.
func (g *grain) weigh(reversed bool, first, second int64) {
	switch {
	case first+second < scrap:
		return // too short to measure
	case second > 2*first:
		g.lean++
	case first > 2*second:
		g.lean = max(g.lean-1, -leanMax)
	}
	if g.lean > leanMax && reversed == g.reverse {
		g.lean = 0
		g.reverse = !g.reverse
	}
}
