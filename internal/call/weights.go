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

func (s *weights) init(ctx context.Context, cfg *Config) {
	l := cfg.Limiter
	if !cfg.Weighed || l == nil {
		return
	}
	s.bounded = l.Budgeted() && !l.HoldsWeight(ctx)
	if !l.Holds(ctx) { // else the items are a part of a unit
		s.counts.Store(l)
	}
}

// Weighed runs f, an item of that weight. While the limiter's budget has no room for it,
// it waits; when the call ends first, it returns the error of c.
func (c *Context) Weighed(weight int64, f func() error) (err error) {
	if weight < 0 {
		panic(fmt.Sprintf("sweetspot: WeightOf: an item of weight %d: want 0 or more", weight))
	}
	var share int64
	if c.weights.bounded {
		if share, err = c.permit.TakeWeight(c, weight); err != nil {
			return c.Err()
		}
		defer func() { c.permit.GiveWeight(share) }()
		if err := c.Err(); err != nil { // the weight came free as the call ended
			return err
		}
	}
	done := false
	defer func() {
		if l := c.weights.counts.Load(); done && l != nil {
			l.Outweigh(weight)
		}
	}()
	err = f()
	done = err == nil
	return err
}
