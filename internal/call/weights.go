package call

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// weights are what the weights of a call's items are for.
type weights struct {
	counts  atomic.Pointer[loop.Loop] // whose throughput is their sum, or nil
	bounded bool                      // each item takes its weight of the limiter's budget
}

// weigh makes c ready for Weighed.
func (c *Context) weigh() {
	if c.limited == nil {
		c.limited = new(limited)
		return
	}
	l, s := c.limited.permit, &c.limited.weights
	s.bounded = l.Budgeted() && !l.HoldsWeight(c.Context)
	if !l.Holds(c.Context) { // else the items are a part of a unit
		s.counts.Store(l)
	}
}

// Weighed runs f, an item of that weight, with its context. While the limiter's budget has
// no room for it, it waits; when the call ends first, it returns the error of c.
func (c *Context) Weighed(weight int64, f func(ctx context.Context) error) (err error) {
	if weight < 0 {
		panic(fmt.Sprintf("sweetspot: WeightOf: an item of weight %d: want 0 or more", weight))
	}
	var inside context.Context = c
	weights := &c.limited.weights
	if weights.bounded {
		var share int64
		permit := c.limited.permit
		if share, err = permit.TakeWeight(c, weight); err != nil {
			return c.Err()
		}
		defer func() { permit.GiveWeight(share) }()
		if err := c.Err(); err != nil { // the weight came free as the call ended
			return err
		}
		if share == 0 {
			inside = weightless{c}
		}
	}
	done := false
	defer func() {
		if l := weights.counts.Load(); done && l != nil {
			l.Outweigh(weight)
		}
	}()
	err = f(inside)
	done = err == nil
	return err
}

// weightless is the context of an item that has none of the budget: what it does with a weight
// must take it.
type weightless struct{ *Context }

func (c weightless) Value(key any) any {
	if c.limited.permit.IsKey(key, false, true) {
		return nil
	}
	return c.Context.Value(key)
}
