package sense

import (
	"cmp"
	"slices"
	"time"
)

// Children can start on credit: memory would not hold all that the running ones may need, but the caller
// suspends some of them if memory runs short. Jobs seldom need their most at the same time, so that is
// rare. The oldest then run on and end.
const (
	// lentDeviations is how many standard deviations beyond the mean of what all may need must be free
	// for another to start on credit. It is below the mean because some end before others have
	// grown. In simulations 0 takes 2 to 12 % more time; -2 takes hardly less, and suspends more.
	lentDeviations = -1
	// lentExamples is how many growing children one that has stopped growing is an example for. With 1,
	// simulated lists of 40 take 1 % more time; with 3, more children are killed if a list begins with
	// small ones.
	lentExamples = 2
	// patience is how long a child is suspended at most, in all. Programs wait longer than that for a
	// lock or an answer: drivers of SQLite wait for 5 s.
	patience = 4 * time.Second
	// brief is how long children may take on average for some to be suspended. Then the others that a
	// suspended one waits for end soon.
	brief = 2 * time.Second
	// crowded is how many children may run if another is to start on credit: each is looked
	// at a hundred times a second.
	crowded = 32
	// SuspendEvery is how often [Children.Suspend] is to be called.
	SuspendEvery = 10 * time.Millisecond
	// foresight is how long memory must suffice for those that run. A look may be late, so it covers
	// several.
	foresight = 5 * SuspendEvery
)

// A credit is what [Children.Lend] asks for.
type credit struct {
	wake func() // nil: none

	order              []*job // scratch
	suspended, resumed []int
}

// Lend lets [Children.Admits] start children on credit: where memory would not hold
// what all may need, but most likely holds what they will. After a call of wake, the caller calls
// [Children.Suspend] every [SuspendEvery], to learn which children to suspend. wake must not
// block, nor call c. Children that take more than two seconds on average get no credit and
// are not suspended. No child gets credit while 32 run. Call Lend before the first child starts.
func (c *Children) Lend(wake func()) { c.credit.wake = wake }

// lends reports whether one more child can start on credit beside those that are starting.
// Memory may run short either way, as what is known of the children may be wrong.
func (c *Children) lends(now time.Duration, free float64, starting int) bool {
	if c.credit.wake == nil {
		return false
	}
	c.credit.wake()
	return c.family.lends(now, free, starting)
}

func (f *family) lends(now time.Duration, free float64, starting int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if free < 0 || len(f.order)+starting >= crowded || !f.memory.brief() {
		return false
	}
	p := f.forecast(f.time(now), lentExamples)
	return p.more(free, starting+1, lentDeviations) > starting
}

// brief reports whether jobs are known to take little time.
func (d *need) brief() bool {
	var sum time.Duration
	for _, l := range d.known() {
		sum += l.took
	}
	return d.n > 0 && sum <= brief*time.Duration(len(d.known()))
}

// Suspend returns the children, by their numbers, that are to be suspended until a later call, and
// those that are to be resumed. The caller sends SIGSTOP to each of the first at every call, and
// SIGCONT to each of the others. The oldest child is never suspended, nor is one that has stopped
// growing, or that has been suspended for four seconds in total. The slices are valid until the next
// call.
//
// again is false once memory suffices for all that run; then no call is needed before the next wake.
// A call takes 8 µs for each process of running children. It may be made from any goroutine.
func (c *Children) Suspend() (suspended, resumed []int, again bool) {
	h := c.sampler.host
	h.mu.Lock()
	defer h.mu.Unlock()
	now := c.sampler.clock()
	room := h.room()
	c.watcher.round(now, 0, &c.family)
	return c.family.suspend(&c.credit, now, room)
}

func (f *family) suspend(c *credit, now time.Duration, r room) (suspended, resumed []int, again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	c.order = append(c.order[:0], f.order...)
	slices.SortFunc(c.order, func(a, b *job) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.pid, b.pid)) })
	c.suspended, c.resumed = c.suspended[:0], c.resumed[:0]
	p, lends := f.forecast(now, 1), r.ok && f.memory.brief()
	// Half of the margin is for what happens between two looks.
	free, reserved := r.free+r.margin/2, false
	for i, j := range c.order {
		grows := j.growing()
		soon, may := 0.0, max(0, p.record-j.held)
		if grows {
			soon = min(may, foresight.Seconds()*max(j.rate, j.held/max(j.age(now), SuspendEvery).Seconds()))
		}
		suspend := lends && grows && i > 0 && soon > free && j.suspendedFor < patience
		switch {
		case suspend:
			c.suspended = append(c.suspended, j.pid)
			free = min(free, 0) // younger ones get nothing of what is left
		case j.suspended:
			c.resumed = append(c.resumed, j.pid)
		}
		j.suspended = suspend
		if suspend || !grows {
			continue
		}
		// What the oldest growing one may need is reserved.
		if !reserved {
			reserved, soon = true, min(may, f.memory.growth(j.held, j.age(now), true, p.record).within(deviations))
		}
		free -= soon
	}
	return c.suspended, c.resumed, lends && (len(c.suspended) > 0 || p.rest.within(deviations) > r.free)
}
