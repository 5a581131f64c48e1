package loop

import (
	"context"
	"sync/atomic"
)

// The context keys that find a permit of a Loop, and one whose unit has its weight of the
// budget. A key the size of a pointer is looked up without an allocation.
type (
	permit struct{ of *Loop }
	weight struct{ of *Loop }
)

// Holds reports whether ctx carries a permit of l that has not been given back.
func (l *Loop) Holds(ctx context.Context) bool { return ctx.Value(permit{l}) != nil }

// HoldsWeight reports whether the permit is one of a unit that has its weight.
func (l *Loop) HoldsWeight(ctx context.Context) bool { return ctx.Value(weight{l}) != nil }

// IsKey reports whether a context that is asked for the value of key is asked for what it
// has: a permit of l, or the weight of a unit.
func (l *Loop) IsKey(key any, permitted, weighed bool) bool {
	return permitted && key == permit{l} || weighed && key == weight{l}
}

// Permitted is the context of a function that runs under a permit.
type Permitted struct {
	context.Context
	of      *Loop
	weighed bool
	within  bool // of another unit, which has the permit
	over    atomic.Bool
	nested  Nested
}

// WithPermit returns ctx with a permit of l, until it is dropped.
func (l *Loop) WithPermit(ctx context.Context) *Permitted { return &Permitted{Context: ctx, of: l} }

// Drop takes the permit out of c: it is about to be given back.
func (c *Permitted) Drop() { c.over.Store(true) }

func (c *Permitted) Value(key any) any {
	if c.of.IsKey(key, !c.within, c.weighed) && !c.over.Load() {
		return &c.nested
	}
	return c.Context.Value(key)
}
