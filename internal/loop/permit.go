package loop

import (
	"context"
	"sync/atomic"
)

// permit is the context key that finds a permit of a Loop.
type permit struct{ of *Loop }

// Holds reports whether ctx carries a permit of l that has not been given back.
func (l *Loop) Holds(ctx context.Context) bool { return ctx.Value(permit{l}) != nil }

// IsKey reports whether a context that is asked for the value of key is asked for a
// permit of l.
func (l *Loop) IsKey(key any) bool { return key == permit{l} }

// Permitted is the context of a function that runs under a permit.
type Permitted struct {
	context.Context
	of   *Loop
	over atomic.Bool
}

// WithPermit returns ctx with a permit of l, until it is dropped.
func (l *Loop) WithPermit(ctx context.Context) *Permitted { return &Permitted{Context: ctx, of: l} }

// Drop takes the permit out of c: it is about to be given back.
func (c *Permitted) Drop() { c.over.Store(true) }

func (c *Permitted) Value(key any) any {
	if c.of.IsKey(key) && !c.over.Load() {
		return c
	}
	return c.Context.Value(key)
}
