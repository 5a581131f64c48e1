package sense

import (
	"cmp"
	"slices"
	"time"
)

// Children may start although memory would not hold all that the running ones may need, if
// the caller can have some stand still where it comes to that: on credit. Memory rarely gets short, as
// jobs seldom need their most at the same time; if it does, the oldest go on and end.
const (
	// lentDeviations is how many standard deviations beyond the mean of what all may need must be free
	// for another to start on credit. It is less than the mean, as some end before others have
	// grown. In simulations 0 takes 2 to 12 % more time, and -2 hardly less, with more standing still.
	lentDeviations = -1
	// lentExamples is for how many children that grow one that does not speaks. With 1, simulated lists of 40
	// take 1 % more time; with 3, more children are killed if the first ones of a list are small.
	lentExamples = 2
	// patience is how long a child stands still at most, in all. It is less than what programs
	// wait for a lock or an answer before they give up: drivers of SQLite wait for 5 s.
	patience = 4 * time.Second
	// brief is how long children may live on average if some are to stand still: what these wait
	// for then ends soon.
	brief = 2 * time.Second
	// crowded is how many children may run if another is to start on credit: each is looked
	// at a hundred times a second.
	crowded = 32
	// SuspendEvery is how often [Children.Suspend] is to be called.
	SuspendEvery = 10 * time.Millisecond
	// foresight is for how long memory must suffice for those that run: for some looks, as one may be late.
	foresight = 5 * SuspendEvery
)

// A credit is what [Children.Lend] asks for.
type credit struct {
	wake func() // nil: none

	order          []*job // scratch
	still, resumed []int
}

// Lend lets [Children.Admits] start children on credit: where memory would not hold
// what all may need, but most likely holds what they will. From wake on, the caller asks
// [Children.Suspend] every [SuspendEvery] which are to stand still. wake must not
// block, nor call c. Children that live for more than two seconds on average get no credit and
// do not stand still; beside 32, none gets credit. Call Lend before the first child starts.
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

// Suspend returns the children, by their numbers, that are to stand still until a later call, and
// those that stood still and are to go on. The caller sends each of the first SIGSTOP, at every
// call, and each of the others SIGCONT. The oldest never stands still, nor does one that has done so for four
// seconds in all, nor one that has stopped growing. The slices are valid until the next call.
//
// again is false once memory suffices for all that run; then no call is needed before the next wake.
// A call takes 8 µs for each process of running children. It may be made from any goroutine.
func (c *Children) Suspend() (still, resumed []int, again bool) {
	h := c.sampler.host
	h.mu.Lock()
	defer h.mu.Unlock()
	now := c.sampler.clock()
	room := c.sampler.gauges.memory.meter.room()
	c.watcher.round(now, 0, &c.family)
	return c.family.suspend(&c.credit, now, room)
}

func (f *family) suspend(c *credit, now time.Duration, r room) (still, resumed []int, again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	c.order = append(c.order[:0], f.order...)
	slices.SortFunc(c.order, func(a, b *job) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.pid, b.pid)) })
	c.still, c.resumed = c.still[:0], c.resumed[:0]
	p, lends := f.forecast(now, 1), r.ok && f.memory.brief()
	// Half of the margin is for what happens between two looks.
	free, reserved := r.free+r.margin/2, false
	for i, j := range c.order {
		grows := j.growing()
		soon, may := 0.0, max(0, p.record-j.held)
		if grows {
			soon = min(may, foresight.Seconds()*max(j.rate, j.held/max(j.age(now), SuspendEvery).Seconds()))
		}
		stands := lends && grows && i > 0 && soon > free && j.stood < patience
		switch {
		case stands:
			c.still = append(c.still, j.pid)
			free = min(free, 0) // what is left is not for younger ones
		case j.stands:
			c.resumed = append(c.resumed, j.pid)
		}
		j.stands = stands
		if stands || !grows {
			continue
		}
		// The oldest that grows is left all that it may need.
		if !reserved {
			reserved, soon = true, min(may, f.memory.growth(j.held, j.age(now), true, p.record).within(deviations))
		}
		free -= soon
	}
	return c.still, c.resumed, lends && (len(c.still) > 0 || p.rest.within(deviations) > r.free)
}
