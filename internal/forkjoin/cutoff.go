package forkjoin

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
	// adds up to as much, or there were guessesMost of them: otherwise one that
	// takes far longer would hide behind them, and a goroutine that waits for work
	// would not be seen. While the computation decides whether to wake a thread at
	// once, each piece is timed.
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

	// votesMost votes for the other half to be the larger make the halves change
	// places. Fewer may come from one uneven part.
	votesMost = 16
)

// A cutoff knows how long second halves take, and so which ones are too small to
// be worth sharing. Halves of one Join are of related size, whatever the shape of
// the tree and the place in it, so the time of the first tells what to expect of
// the second; depth tells much less where trees are not balanced.
//
// It also knows which half to run first: the larger. The other waits longer
// then, and can be promoted.
type cutoff struct {
	first   expectations // of first halves, by what their Join was likely to take
	after   expectations // of second halves, by what the first one took
	likely  int64        // what the next Join takes; 0 if nothing is known
	learnt  bool         // something that is worth remembering
	dropped bool         // a piece was given to serial in this computation
	votes   int8         // for the second half to be the larger
	reverse bool         // b runs first

	// To see lists, whichever half is the rest of the list. Where Joins go down
	// and down and no first half ends, the other one is run first for a try.
	trying      bool
	descent     int32 // Joins since a half last ended
	descentMore int32 // how many beyond listLength are too many
	streak      int32 // first halves that were next to nothing, on the path to here
	streakAt    int64 // when it was at listStart
}

// expectations are of halves, by whether b runs first and by the length in bits of
// a time.
type expectations [2][lengths]expectation

// An expectation is the largest time seen lately, in ns.
type expectation struct {
	ns      uint32
	samples uint32
}

func (e *expectation) piece() bool { return e.samples >= sampled && e.ns <= uint32(pieceMax) }

// learn notes one more time.
func (e *expectation) learn(ns int64) {
	e.ns = uint32(min(max(ns, int64(e.ns-e.ns/8)), 1<<32-1))
	e.samples++
	if ns > 2*pieceMax {
		e.samples = 0
	}
}

// lengths covers times of up to 8 ms. What goes with longer ones is not a small piece.
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

// start begins a computation.
func (c *cutoff) start() {
	c.trying, c.descent, c.descentMore, c.streak = false, 0, 0, 0
	c.likely = 0
}

// descend is called when a Join begins, and says whether to run b first.
func (c *cutoff) descend() bool {
	c.descent++
	if c.descent > listLength+c.descentMore {
		c.descent = 1
		c.try()
	}
	return c.reverse
}

// ascend is called when a Join ends.
func (c *cutoff) ascend() { c.descent, c.streak = 0, 0 }

// try starts or ends a try to run the other half first.
func (c *cutoff) try() {
	c.reverse = !c.reverse
	c.trying = !c.trying
	if !c.trying {
		c.descentMore = 2*c.descentMore + listLength
	}
}

// small reports whether the second half should go to serial, given the time of
// the first.
func (c *cutoff) small(reversed bool, first int64) bool {
	c.descent = 0
	if c.piece(reversed, first) {
		return true
	}
	if first <= scrap {
		c.streak++
		return c.streak >= listStart && c.list()
	}
	c.streak = 0
	if c.trying && reversed == c.reverse {
		c.try()
	}
	return false
}

// firstSmall reports whether the first half of a Join should go to serial, given
// what the Join is likely to take.
func (c *cutoff) firstSmall(reversed bool, likely int64) bool {
	return likely > 0 && c.first.of(reversed, likely).piece()
}

// piece reports whether a second half is known to be no longer than a piece.
func (c *cutoff) piece(reversed bool, first int64) bool {
	return c.after.of(reversed, first).piece()
}

// larger reports whether a second half may be longer than a piece although its
// first half, which has not ended, has taken no longer so far: such halves have
// been seen beside longer ones. In a list they are not.
func (c *cutoff) larger(reversed bool, first int64) bool {
	for _, e := range c.after.from(reversed, first) {
		if e.ns > uint32(pieceMax) {
			return true
		}
	}
	return false
}

// list reports whether a list has been found.
func (c *cutoff) list() bool {
	switch c.streak {
	case listStart:
		c.streakAt = monotonic()
	case listLength:
		if monotonic()-c.streakAt < (listLength-listStart)*listPace {
			c.trying = false
			return true
		}
		// The items are worth a Join each. The rest should come first, so that
		// they wait where others can take them.
		c.streak = 0
		if c.trying {
			c.try()
		} else {
			c.reverse = !c.reverse
		}
	}
	return false
}

// listed reports whether what goes to serial now is the rest of a list.
func (c *cutoff) listed() bool { return c.streak >= listLength }

// late takes note of how much longer than expected some Joins took together. If a
// piece may be the cause that was too short to time, nothing is known of such
// pieces any more.
func (c *cutoff) late(ns int64) {
	if ns <= 2*pieceMax || !c.dropped {
		return
	}
	for side := range c.after {
		for i := range c.after[side] {
			c.after[side][i].doubt()
			c.first[side][i].doubt()
		}
	}
}

// doubt forgets an expectation that is too short to be timed.
func (e *expectation) doubt() {
	if int64(e.ns) < timedMin {
		e.samples = 0
	}
}

// learn notes how long a second half took.
func (c *cutoff) learn(reversed bool, first, second int64) {
	e := c.after.of(reversed, first)
	e.learn(second)
	c.learnt = c.learnt || e.samples == sampled
	c.weigh(reversed, first, second)
}

// learnFirst notes how long the first half of a Join took.
func (c *cutoff) learnFirst(reversed bool, likely, first int64) {
	if likely > 0 {
		c.first.of(reversed, likely).learn(first)
	}
}

// weigh makes the larger half come first.
func (c *cutoff) weigh(reversed bool, first, second int64) {
	switch {
	case first+second < scrap:
		return // too short to measure
	case second > 2*first:
		c.votes++
	case first > 2*second:
		c.votes = max(c.votes-1, -votesMost)
	}
	if c.votes > votesMost && reversed == c.reverse {
		c.votes = 0
		c.reverse = !c.reverse
	}
}
