package loop

import (
	"context"
	"sync/atomic"
	"time"
)

// Nested counts the items of parallel calls that run inside a unit, under its permit. They are
// not units themselves. But a unit may swallow their overloads, so the controller sees the
// share of them that were overloaded as part of the unit's turn.
type Nested struct{ done, overloaded atomic.Int64 }

// FinishNested counts a chunk that is a part of the unit whose permit ctx carries.
func (l *Loop) FinishNested(ctx context.Context, c Chunk) {
	if n, ok := ctx.Value(permit{l}).(*Nested); ok {
		n.done.Add(int64(c.Done))
		n.overloaded.Add(int64(c.Overloaded))
	}
}

// End is [Loop.End] for the unit that ran under c. If the unit is overloaded, all of its turn is.
func (c *Permitted) End(began time.Duration, o Outcome, weight int64) {
	switch o {
	case Done:
		c.of.overloaded(0, 1, &c.nested)
	case Ignored:
		c.of.overloaded(0, 0, &c.nested)
	}
	c.of.End(began, o, weight)
}

// take returns the share that was overloaded, for the turn that ends, and begins anew.
func (n *Nested) take() float64 {
	if n == nil || n.done.Load() == 0 && n.overloaded.Load() == 0 {
		return 0
	}
	done, overloaded := n.done.Swap(0), n.overloaded.Swap(0)
	return float64(overloaded) / float64(max(1, done+overloaded))
}
