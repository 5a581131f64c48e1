package sweetspot

import "time"

const (
	// beat is how long a half must have waited before a thread is woken for it:
	// twice as long as that takes. Computations that are over by then would be
	// slower for it, and longer ones are hardly the slower for waiting. Where a
	// goroutine is awake, moving takes a microsecond. Where computations of the
	// function are known to last, the sooner the thread wakes the better.
	beat      = int64(2 * wakeCost)
	beatShort = int64(8 * time.Microsecond)
	beatHasty = int64(5 * time.Microsecond)

	// coarsePace is the time per Join from which on each one looks at the clock and,
	// if two looks agree, moves halves without waiting for a beat: starting a
	// goroutine is then cheap, and the next Join may be long in coming.
	coarsePace = int64(10 * time.Microsecond)

	// finePace is the least time that a Join can take.
	finePace = int64(8 * time.Nanosecond)

	// looks should be at least lookGap apart, as each costs some 50 ns, but no more
	// than maxStep Joins, as these may get slower at any time.
	lookGap = int64(time.Microsecond)
	maxStep = 64

	// proven Joins show how long one takes; so many are also what the smallest
	// computations have, which thus never look.
	proven = 16
)

// A pulse is the clock of one goroutine's Joins. Reading the real one at each
// would cost more than the Join, so it ticks by the pace found lately, and is put
// right by a look at the real one after some Joins.
type pulse struct {
	now     int64 // ns
	pace    int64 // ns per Join
	seen    int64 // when it was last put right
	left    int   // Joins until the next look
	guessed int64 // how much of the time since then are pieces that nobody timed
	guesses int   // and how many these are
	step    int   // Joins between looks
	slow    bool  // the last look came late for so few Joins
	eager   bool  // see Joiner.offer
	hasty   bool  // the last computations of this function paid for a thread
	early   bool  // and this one is about to wake it

	began int64 // the outermost Join, and Joins seen since
	joins int64
}

func (p *pulse) start(m *memo) {
	p.jump(monotonic())
	p.began, p.joins = p.now, 0
	p.pace = max(p.pace, finePace)
	p.slow = false
	p.eager = m.verdict != paceFine
	p.hasty = m.lasting == lastingAlways
	p.early = p.hasty
	p.step = proven
	if p.eager {
		p.step = 1
	}
	p.left = p.step
}

// tick is called by each Join.
func (j *Joiner) tick() {
	j.now += j.pace
	j.left--
	if j.left <= 0 {
		j.look()
	}
}

// sync puts the clock right, and finds the pace. One odd look is not believed
// too much: the goroutine may have been interrupted.
func (p *pulse) sync(now int64) {
	joins := int64(p.step - p.left)
	if joins == 0 {
		p.jump(now)
		return
	}
	took, told := now-p.seen, p.now-p.seen
	p.joins += joins
	pace := min(took/joins, int64(float64(p.pace)*float64(took)/float64(max(told, 1))))
	p.pace = max(min(pace, 2*p.pace), p.pace/2, finePace)

	slow := took/joins >= coarsePace
	p.eager = slow && p.slow || p.eager && p.joins < proven
	p.slow = slow
	switch {
	case p.slow || p.eager:
		p.step = 1
	case took < lookGap:
		p.step = min(2*p.step, maxStep)
	case took > 4*lookGap:
		p.step = max(p.step/2, 1)
	}
	p.jump(now)
}

// jump puts the clock right after something that was no Join.
func (p *pulse) jump(now int64) {
	p.now, p.seen, p.left = now, now, p.step
	p.guessed, p.guesses = 0, 0
}

// guess puts the clock forward by what a piece is expected to take. Even the least
// takes as long as a Join.
func (p *pulse) guess(ns int64) {
	ns = max(ns, p.pace)
	p.now += ns
	p.guessed += ns
	p.guesses++
}

// exclude puts the clock right after something that is not the computation's.
func (p *pulse) exclude(since int64) {
	now := monotonic()
	p.began += now - since
	p.jump(now)
}

var epoch = time.Now()

func monotonic() int64 { return int64(time.Since(epoch)) }
