package sense

import "time"

// A bound is the number of units that one resource allows. It is set by one of
// its four methods each time the resource was looked at.
type bound struct {
	units int // 0: no bound
	held  int // where growth stopped, while the resource is short
}

// A bound is reported if it is within reach times the present crowd. No law of
// ours raises its limit by more than that between two looks, so a bound farther
// out is seen again before it is overrun.
const reach = 8

// free says that the resource does not stand in the way.
func (b *bound) free() { *b = bound{} }

// pace allows as much growth as provably fits. The resource is used to the
// amount used and has room left; least is what one unit is known to need at
// most, or 0. If need grows at most in proportion to the crowd, then peak units
// can become peak*(1+room/used) of them. Where most of used has nothing to do
// with the units (a large cache, files open for other reasons), that is too
// careful but no dead end: the next look starts from the larger crowd. Hence
// one unit more is always allowed while there is room.
func (b *bound) pace(peak int, used, room, least float64) {
	if room <= 0 {
		b.hold(peak)
		return
	}
	more := 1.0
	if used > 0 {
		more = max(more, float64(peak)*room/used)
	} else {
		more = max(more, float64(peak)*reach)
	}
	if least > 0 {
		more = max(more, room/least)
	}
	b.held, b.units = 0, 0
	if more < (reach-1)*float64(peak) {
		b.units = peak + int(more)
	}
}

// hold forbids growth beyond the crowd that was there when the resource became
// short. It does not follow the crowd downwards: a lull must not cost permits.
func (b *bound) hold(peak int) {
	if b.held == 0 {
		b.held = peak
	}
	b.units = b.held
}

// cut takes a quarter away, and the next one only after that took effect: running units
// give nothing back faster because the number falls. It is a quarter of the crowd, not of
// what a lull has left of it at this moment; nor does a lull show an effect.
func (b *bound) cut(peak, inFlight int) {
	b.hold(peak)
	if inFlight <= b.held && (2*inFlight > b.held || peak <= b.held) {
		b.held = max(1, min(b.held, peak)*3/4)
	}
	b.units = b.held
}

// A crowd remembers the largest number of units in flight during the last one
// to two spans, so that a lull between two tasks does not lower it.
type crowd struct {
	since        time.Duration
	last, before int
}

// lull is the span of a crowd.
const lull = time.Second

// peak adds inFlight at the moment now and returns the peak, at least 1.
func (c *crowd) peak(now time.Duration, inFlight int) int {
	if now-c.since >= lull {
		c.before = c.last
		if now-c.since >= 2*lull {
			c.before = 0
		}
		c.last, c.since = 0, now
	}
	c.last = max(c.last, inFlight)
	return max(c.last, c.before, 1)
}

// A resource is something that runs out.
type resource interface {
	// look judges what the gauge says, and sets how many units it allows.
	look(b *bound, now time.Duration, peak, inFlight int)
	// why names the resource in words a user understands. It must not allocate.
	why() string
}

// A watch looks at a resource whenever its gauge has something new.
type watch struct {
	resource
	dial  *dial
	seen  int64 // of dial.news
	bound bound
	hasty *bool // it looks each time while this holds; nil: never
}

// A guard watches the resources that an automatic number could exhaust.
type guard struct {
	crowd   crowd
	watches []watch
}

// watch adds a resource that the gauge of d measures.
func (g *guard) watch(d *dial, r resource) {
	g.watches = append(g.watches, watch{resource: r, dial: d})
}

// ceiling returns the lowest number that a resource allows, and that resource's
// name, or 0 and "".
func (g *guard) ceiling(now time.Duration, inFlight int) (units int, why string) {
	peak := g.crowd.peak(now, inFlight)
	for i := range g.watches {
		w := &g.watches[i]
		if w.seen != w.dial.news || w.hasty != nil && *w.hasty {
			w.seen = w.dial.news
			w.look(&w.bound, now, peak, inFlight)
		}
		if n := w.bound.units; n > 0 && (units == 0 || n < units) {
			units, why = n, w.why()
		}
	}
	return units, why
}
