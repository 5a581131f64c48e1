package call

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// A Context is the context of the callbacks of one call: cancelled when the
// call fails or has ended. The context behind it, which costs some 0.3 µs and a
// place in its parent's list, is made only if somebody asks for Done, or the
// call fails.
type Context struct {
	context.Context // the caller's
	limited         *limited
	over            atomic.Bool
	derived         atomic.Pointer[derived]
	mu              sync.Mutex
}

// limited is what a Context knows of a limiter and of weights. It is apart, since most calls
// have neither, and a smaller object makes short calls cheaper.
type limited struct {
	permit   *loop.Loop // under a permit of which the callbacks run, or nil
	inherits bool       // the permit, which the caller's context carries
	nested   loop.Nested
	weights  weights
}

type derived struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Init sets c up under the caller's context and, unless it is nil, a permit.
func (c *Context) Init(ctx context.Context, permit *loop.Loop) {
	c.Context = ctx
	if permit != nil {
		c.limited = &limited{permit: permit}
	}
}

// Nested is what calls inside the callbacks have done, or nil if there is neither a permit nor
// a weight. It is of all of them, as one context is, and the turn that ends next takes it.
func (c *Context) Nested() *loop.Nested {
	if c.limited == nil {
		return nil
	}
	return &c.limited.nested
}

// Done returns a channel that is closed when the call fails or ends, or the
// caller's context is done.
func (c *Context) Done() <-chan struct{} { return c.derive().Done() }

// Err returns nil as long as Done is not closed.
func (c *Context) Err() error {
	if d := c.derived.Load(); d != nil {
		return d.Err()
	}
	if c.over.Load() {
		return c.derive().Err()
	}
	return c.Context.Err()
}

// Value finds the permit of the call, and everything that the caller's context
// knows.
func (c *Context) Value(key any) any {
	if l := c.limited; l != nil && l.permit != nil && l.permit.IsKey(key, !l.inherits, l.weights.bounded) && !c.over.Load() {
		return &l.nested
	}
	if d := c.derived.Load(); d != nil {
		return d.Value(key)
	}
	return c.Context.Value(key)
}

// A WorkerContext is the context of a function that one worker runs for many items: it carries
// the permit of the call only while the worker holds one.
type WorkerContext struct {
	*Context
	HasPermit *atomic.Bool
}

func (c WorkerContext) Value(key any) any {
	if l := c.limited; l != nil && !c.HasPermit.Load() && l.permit.IsKey(key, true, false) {
		return c.Context.Context.Value(key)
	}
	return c.Context.Value(key)
}

// Context returns the context of a function that w runs for many items.
func (w *Worker) Context() context.Context {
	if w.call.Config.Limiter == nil {
		return w.call.ctx
	}
	return WorkerContext{w.call.ctx, &w.hasPermit}
}

func (c *Context) derive() *derived {
	if d := c.derived.Load(); d != nil {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.derived.Load(); d != nil {
		return d
	}
	d := &derived{}
	d.Context, d.cancel = context.WithCancelCause(c.Context)
	c.derived.Store(d)
	if c.over.Load() {
		d.cancel(context.Canceled)
	}
	return d
}

// Cancel ends the context because of cause.
func (c *Context) Cancel(cause error) { c.derive().cancel(cause) }

// End ends the context when the call is over.
func (c *Context) End() {
	c.over.Store(true)
	// derive looks at over after it has stored derived, so one of us cancels.
	if d := c.derived.Load(); d != nil {
		d.cancel(context.Canceled)
	}
}
