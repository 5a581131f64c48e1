package control

import "math"

// A brink is the limit at which the work begins to say "too much": a server that
// refuses what is over a number, a quota, a queue that runs full. Doubling finds
// it from both sides, halving what is between closes in on it, and then the
// search stays right below: throughput says nothing there, for what is refused
// does not slow down the rest.
//
// It is tried again now and then, as it may have moved, and ever more rarely
// while it has not. What was refused there is the price, and that stays below
// half a percent of what succeeds.
type brink struct {
	safe, over int     // the highest limit borne, and the lowest one refused; over is 0 until there is one
	due        float64 // when over may be tried again, once safe is next to it
	pause      float64 // s
	step       int     // how far to go on beyond over, should it be borne
	before     int     // a higher limit whose units may still be in flight
	until      float64 // as long as that is so

	completed, refused int64 // totals when over was last refused
}

const (
	// brinkFirst is a pause after which ten turnovers of most work are over.
	brinkFirst = 4
	// brinkMost bounds the pauses, s: a service that has grown must be noticed.
	brinkMost = 64
	// brinkPrice is how many units must succeed for each that is refused.
	brinkPrice = 200
	// brinkFine is the share of the limit down to which the brink is located.
	brinkFine = 32
)

// top returns the highest limit that may be tried now.
func (b *brink) top(r Reading) int {
	switch {
	case b.over == 0:
		return math.MaxInt
	case b.over-b.safe > max(1, b.safe/brinkFine):
		return b.safe + (b.over-b.safe)/2
	case r.At.Seconds() < b.due, r.Completed-b.completed < brinkPrice*(r.Overloads-b.refused):
		return b.safe
	}
	return b.over
}

// bear takes note of a window at the limit n in which nothing was refused.
func (b *brink) bear(n int) {
	if n <= b.safe {
		return
	}
	b.safe = n
	if n >= b.over && b.over > 0 {
		// It has moved: on, in steps that double.
		b.over = n + 2*b.step
		b.step *= 2
		b.pause = brinkFirst
	}
}

// changed takes note that the limit goes down from n, for units that take r: what
// they report belongs to n for a while.
func (b *brink) changed(n int, now, r float64) { b.before, b.until = n, now+r }

// hit takes note that something was refused at the limit n, the first time when
// refused had been until then. It returns the limit to go down to.
func (b *brink) hit(n int, r Reading, refused int64) int {
	now := r.At.Seconds()
	if now < b.until {
		n = max(n, b.before)
	}
	to := max(1, min(n-1, int(math.Ceil(0.7*float64(n)))))
	if b.safe > to && b.safe < n {
		to = b.safe
	}
	b.pause = max(brinkFirst, b.pause)
	if n == b.over && b.safe == to { // tried again, in vain
		b.pause = min(2*b.pause, brinkMost)
	}
	*b = brink{safe: to, over: max(n, to+1), due: now + b.pause, pause: b.pause, step: 1, completed: r.Completed, refused: refused}
	return to
}
