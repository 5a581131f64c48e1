package forkjoin

import "time"

const (
	// wakeTime is how long it takes until a parked thread runs, on a virtual
	// machine; waking it costs the waker some microseconds.
	wakeTime = int64(100 * time.Microsecond)

	// coarsePace is the time per Join from which on each one looks at the clock and,
	// if two looks agree, promotes halves that have not waited: starting a goroutine
	// is then cheap, and the next Join may be long in coming.
	coarsePace = int64(10 * time.Microsecond)

	// finePace is the least time that a Join can take.
	finePace = int64(4 * time.Nanosecond)

	// Looks should be at least lookGap apart, as each costs some 50 ns, but no more
	// than maxStep Joins, as these may get slower at any time.
	lookGap = int64(2 * time.Microsecond)
	maxStep = 256

	// proven Joins show how long one takes. The smallest computations have no more,
	// so they never look.
	proven = 16
)

// A clock is the coarse clock of one goroutine's Joins. Reading the real one at
// each would cost more than the Join, so it advances by the pace found lately, and
// is set right by a look at the real one after some Joins. Times are in ns.
type clock struct {
	left    int // plain Joins that may come before the next promotable one
	granted int // what left began with
	passed  int // Joins since the clock was set right, but for those of the grant
	step    int // Joins between looks

	base    int64 // what it shows, without the Joins since it was set right
	pace    int64 // of a Join
	seen    int64 // when it was last set right
	guessed int64 // how much of the time since then are pieces that nobody timed
	guesses int   // the number of these pieces
	slow    bool  // the last look came late for so few Joins
	coarse  bool  // Joins are far apart: each one looks

	began int64 // the outermost Join
	total int64 // Joins until the last look
}

// start begins the outermost Join of a computation.
func (c *clock) start(coarse bool) {
	c.pace = max(c.pace, finePace)
	c.slow, c.coarse = false, coarse
	c.step = proven
	if coarse {
		c.step = 1
	}
	c.set(monotonic())
	c.began, c.total = c.base, 0
}

// Plain counts a Join and reports whether it is plain: then its halves are to be
// called one after the other, and nothing else is to be done. Otherwise the Join
// is one for [Join].
func (c *clock) Plain() bool {
	n := c.left - 1
	if n < 0 {
		return false
	}
	c.left = n
	return true
}

// count counts a Join that is not plain, and reports whether a look is due.
func (c *clock) count() bool {
	c.passed += c.granted - c.left + 1
	c.left, c.granted = 0, 0
	return c.passed >= c.step
}

// grant lets the next n Joins be plain, or fewer if a look is due before.
func (c *clock) grant(n int) {
	c.passed = c.joins()
	n = max(min(n, c.step-c.passed-1), 0)
	c.left, c.granted = n, n
}

// joins returns the number of Joins since the clock was set right.
func (c *clock) joins() int { return c.passed + c.granted - c.left }

func (c *clock) now() int64 { return c.base + int64(c.joins())*c.pace }

// sync sets the clock right, and finds the pace. One odd look is not believed
// too much: the goroutine may have been interrupted.
func (c *clock) sync(now int64) {
	joins := int64(c.joins())
	if joins == 0 {
		c.set(now)
		return
	}
	took, shown := now-c.seen, c.now()-c.seen
	c.total += joins
	pace := min(took/joins, int64(float64(c.pace)*float64(took)/float64(max(shown, 1))))
	c.pace = max(min(pace, 2*c.pace), c.pace/2, finePace)

	slow := took/joins >= coarsePace
	c.coarse = slow && c.slow || c.coarse && c.total < proven
	c.slow = slow
	switch {
	case c.slow || c.coarse:
		c.step = 1
	case took < lookGap:
		c.step = min(8*c.step, maxStep, max(c.step, int(lookGap/c.pace)))
	case took > 4*lookGap:
		c.step = max(c.step/2, 1)
	}
	c.set(now)
}

// set sets the clock right after something that was no Join.
func (c *clock) set(now int64) {
	c.base, c.seen = now, now
	c.left, c.granted, c.passed = 0, 0, 0
	c.guessed, c.guesses = 0, 0
}

// guess puts the clock forward by what a piece is expected to take. Even the least
// takes as long as a Join.
func (c *clock) guess(ns int64) {
	ns = max(ns, c.pace)
	c.base += ns
	c.guessed += ns
	c.guesses++
}

// exclude sets the clock right after something that was not part of the
// computation.
func (c *clock) exclude(since int64) {
	now := monotonic()
	c.began += now - since
	c.set(now)
}

var epoch = time.Now()

func monotonic() int64 { return int64(time.Since(epoch)) }
