package sqllimit

import (
	"context"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// Do is [sweetspot.Limiter.Do] for work that uses several connections, in turn or
// at the same time: all that it uses with the ctx given to f share one permit,
// that of f, and are part of its unit. So a query inside the loop over the Rows
// of another one cannot wait for itself. It returns as Limiter.Do does; the error
// of f is judged by the Limiter, see [sweetspot.Classify].
//
// A connection whose use began inside, such as that of Rows or a Tx, must return
// to the pool before f does: from then on it works without a permit.
func Do(ctx context.Context, l *sweetspot.Limiter, f func(ctx context.Context) error) error {
	return l.Do(ctx, func(ctx context.Context) error {
		c := &cover{Context: ctx, limiter: l}
		defer c.over.Store(true)
		return f(c)
	})
}

// cover is the context of a function that runs under a permit of limiter.
type cover struct {
	context.Context
	limiter *sweetspot.Limiter
	over    atomic.Bool // the permit was given back
}

type coverKey struct{ limiter *sweetspot.Limiter }

func (c *cover) Value(key any) any {
	if key == (coverKey{c.limiter}) && !c.over.Load() {
		return c
	}
	return c.Context.Value(key)
}

func covered(ctx context.Context, l *sweetspot.Limiter) bool {
	return ctx.Value(coverKey{l}) != nil
}
