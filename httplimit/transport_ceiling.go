package httplimit

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// leastHold is two ticks of a Limiter. By then its law knows of the refusal, and
	// has lowered the limit itself.
	leastHold = 30 * time.Millisecond
	// mostHold bounds the holds of refusals that do not say how long: no host asked for
	// these pauses.
	mostHold = time.Second
	// calmHolds times the length of the last hold must pass after it before a refusal counts
	// as news, and at least the time that the last refusal asked for. With one that comes
	// sooner, the host repeats what it said before.
	calmHolds = 8
	// strayAfter is how many answers outweigh a refusal during a hold. A host that takes fewer
	// than before refuses most of what is sent then. So a refusal among many answers does
	// not mean that too many are under way.
	strayAfter = 16
)

// A ceiling keeps the requests to a host at a number that the host is seen to bear. If one
// is refused while others are under way, no more than those others may be under way for a
// while, so another is sent only when one of them has ended. TCP answers a loss in the same
// way: only what has left the network makes room (V. Jacobson, "Congestion Avoidance and
// Control", SIGCOMM 1988; Proportional Rate Reduction, RFC 9937). So a refusal costs its
// own place, and not those of all.
//
// The first hold is short, because a law lowers the limit then. Then the ceiling rises by
// 1, 2, 4 … while requests wait under it. If a request is refused meanwhile, as with a
// fixed limit that is too high, the next hold is twice as long, up to what the refusal
// asks for. A refusal during a hold lowers the ceiling, unless answers outweigh it: some
// hosts refuse one request in a hundred, whatever is under way.
//
// While no request waits, the ceiling stays. Otherwise everything that a law's
// experiment or a burst after a pause adds would be refused, and not only the first request.
type ceiling struct {
	under atomic.Int64 // sent, and neither refused nor ended
	on    atomic.Bool  // something was refused: most is in force

	mu      sync.Mutex
	most    int64
	step    int64         // by which most was raised last; 0 while it is held
	hold    time.Duration // the newest
	until   time.Time     // most is not raised before
	asked   time.Duration // by the newest refusal
	calm    int64         // answers during the hold, up to those that outweigh two refusals
	waiting []*waiter
}

type waiter struct {
	place chan struct{} // closed when it has one
	timer *time.Timer   // when it looks after the ceiling
}

// enter takes a place under the ceiling, in first-come order, or returns the cause of ctx.
// Until something is refused, it is two atomic operations.
func (c *ceiling) enter(ctx context.Context) error {
	if !c.on.Load() {
		c.under.Add(1)
		return nil
	}
	c.mu.Lock()
	if len(c.waiting) == 0 {
		if c.under.Load() < c.most {
			c.under.Add(1)
			c.mu.Unlock()
			return nil
		}
		if !time.Now().Before(c.until) {
			c.step = 0 // none waited any more: the last rise was enough
		}
	}
	w := &waiter{place: make(chan struct{})}
	c.waiting = append(c.waiting, w)
	w.timer = time.NewTimer(c.left())
	c.mu.Unlock()

	defer w.timer.Stop()
	for {
		select {
		case <-w.place:
			return nil
		case <-w.timer.C:
			c.mu.Lock()
			w.timer.Reset(c.left()) // at once where the place is there
			c.mu.Unlock()
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			if i := slices.Index(c.waiting, w); i >= 0 {
				c.waiting = slices.Delete(c.waiting, i, i+1)
			} else { // it came at the same time
				c.under.Add(-1)
				c.admit()
			}
			return context.Cause(ctx)
		}
	}
}

// left returns how long the ceiling stays as it is. It raises a ceiling whose time is over
// if requests wait. It is called with mu held.
func (c *ceiling) left() time.Duration {
	if len(c.waiting) > 0 && !time.Now().Before(c.until) {
		c.step = max(1, 2*c.step)
		c.most += c.step
		c.until = time.Now().Add(leastHold)
		c.admit()
	}
	return max(0, time.Until(c.until))
}

// admit gives the free places to those that wait. It is called with mu held.
func (c *ceiling) admit() {
	for len(c.waiting) > 0 && c.under.Load() < c.most {
		c.under.Add(1)
		close(c.waiting[0].place)
		c.waiting = slices.Delete(c.waiting, 0, 1)
	}
}

// leave gives back the place of a request that was not refused. It was answered, or it failed or was not
// even sent.
func (c *ceiling) leave(answered bool) {
	c.under.Add(-1)
	if c.on.Load() {
		c.mu.Lock()
		if answered {
			c.calm = min(c.calm+1, 2*strayAfter)
		}
		c.admit()
		c.mu.Unlock()
	}
}

// refused gives back the place of a request that was refused; after is the time that the
// refusal named, if any. It returns how many others are under way.
func (c *ceiling) refused(after time.Duration) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	others := c.under.Add(-1)
	asked := c.asked
	c.asked = after
	if after <= 0 {
		after = mostHold
	}
	now := time.Now()
	held := c.step == 0 && now.Before(c.until)
	most, calm := others, int64(0)
	switch {
	case held && others > 0 && c.calm >= strayAfter:
		most, calm = c.most, c.calm-strayAfter // its place is taken when the next one ends
	case held:
		most = min(others, c.most)
	case c.hold > 0 && now.Sub(c.until) < max(calmHolds*c.hold, asked):
		c.hold *= 2
	default:
		c.hold = leastHold
	}
	c.hold = min(c.hold, max(after, leastHold))
	before := c.until
	c.most, c.step, c.calm, c.until = most, 0, calm, now.Add(c.hold)
	switch {
	case others == 0:
		// The host is about to pause, without holding permits: requests that
		// come meanwhile see that soon.
		c.until = now.Add(min(c.asked, leastHold))
	case held && before.Before(c.until):
		c.until = before // otherwise a host that refuses one in a hundred would be held for ever
	}
	c.on.Store(true)
	if c.until.Before(before) {
		for _, w := range c.waiting {
			w.timer.Reset(time.Until(c.until))
		}
	}
	return others
}
