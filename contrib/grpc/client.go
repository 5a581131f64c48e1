package grpclimit

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"github.com/sweetspot-go/sweetspot/internal/pause"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A Client limits the calls to a service that run at a time. Its methods are
// interceptors; the zero Client is ready to use. Use one for each target, which may
// have several connections.
//
// Before it is made, a call waits for its permit, first come, first served, as long as
// its context allows. If the context is done first, the call is not made. The error
// then has the code Canceled or DeadlineExceeded, and wraps the context's cause. The
// permit is held for all attempts of the connection's retry policy.
//
// An overload cuts the limit. It also delays calls. With a grpc-retry-pushback-ms in
// its trailer, no call is made before that time, at most MaxPause away. If calls made
// after an overload are overloaded too, with no success in between, all calls pause.
// The pause is 5 ms at first, and doubles each time, up to 1 s. The Client does not
// repeat calls; the retry policy does.
//
// A Client must not be copied, and its fields must not be changed after the first call.
// It starts no goroutine and needs no Close. It costs about 0.3 µs and one allocation
// per call, and two allocations per stream. A stream that another interceptor has
// wrapped, and whose context can be done, costs 0.9 µs and six.
type Client struct {
	// Limiter admits the calls; nil is sweetspot.New(). A call whose context carries a
	// permit of it (see [sweetspot.Limiter.Do]) is a part of that unit: it takes none of
	// its own and is not counted, but waits for pauses.
	Limiter *sweetspot.Limiter

	// MaxPause is the longest pause that a server can request; 30 s if 0.
	MaxPause time.Duration

	// Skip says that calls of a method, such as "/orders.Orders/Watch", are neither
	// limited nor counted; nil skips none.
	Skip func(fullMethod string) bool

	// Classify says what became of a call by its error; nil is [ErrorOutcome], to
	// which it may also leave what it does not know.
	Classify func(error) sweetspot.Outcome

	once  sync.Once
	l     *sweetspot.Limiter
	pause *pause.Pause
}

// defaultMaxPause is longer than services ask for that are overloaded, and shorter
// than what one that is down for maintenance may ask for.
const defaultMaxPause = 30 * time.Second

// Unary is a [grpc.UnaryClientInterceptor]. An interceptor that sends one call several
// times at once (hedging) must come before this one.
func (c *Client) Unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if c.Skip != nil && c.Skip(method) {
		return invoker(ctx, method, req, reply, cc, opts...)
	}
	u, err := c.admit(ctx)
	if err != nil {
		return err
	}
	o := sweetspot.Ignored
	defer func() { u.end(o) }() // a panic or a Goexit as well
	seen := c.pause.Refusals()
	var call unary
	opts = append(append(call.opts[:0], opts...), grpc.Trailer(&call.trailer))
	err = invoker(ctx, method, req, reply, cc, slices.Clip(opts)...) // without room that appends would share
	o = adapter.Judge(c.Classify, ErrorOutcome, err)
	c.learn(o, seen, call.trailer)
	return err
}

// unary holds what a call needs beyond its own options, in one piece of memory.
type unary struct {
	trailer metadata.MD
	opts    [8]grpc.CallOption // room for the options of most calls
}

// A unit is that of a call, or nothing where the call is a part of another one.
type unit struct {
	sweetspot.Unit
	own bool
}

func (u unit) end(o sweetspot.Outcome) {
	if u.own {
		u.End(o, 1)
	}
}

// admit waits until calls may be made and a permit is there.
func (c *Client) admit(ctx context.Context) (unit, error) {
	c.once.Do(c.init)
	for {
		if err := c.pause.Wait(ctx); err != nil {
			return unit{}, &waitError{ctx.Err(), err}
		}
		if c.l.Holds(ctx) {
			return unit{}, nil
		}
		u, err := c.l.Begin(ctx)
		if err != nil {
			return unit{}, &waitError{ctx.Err(), err}
		}
		if c.pause.Left() == 0 {
			return unit{u, true}, nil
		}
		// A pause began meanwhile. It is not spent with a permit: to the law that
		// would look as if calls had become slow.
		u.End(sweetspot.Ignored, 1)
	}
}

// A waitError is that of a call whose context was done while it waited.
type waitError struct{ err, cause error }

func (e *waitError) Error() string { return "sweetspot: waiting for a permit: " + e.cause.Error() }
func (e *waitError) Unwrap() error { return e.cause }

// GRPCStatus is what package status asks errors for.
func (e *waitError) GRPCStatus() *status.Status {
	return status.New(status.FromContextError(e.err).Code(), e.Error())
}

func (c *Client) init() {
	c.pause = pause.New()
	c.l = c.Limiter
	if c.l == nil {
		c.l = sweetspot.New()
	}
}

// learn takes note of how a call ended that was made after seen refusals.
func (c *Client) learn(o sweetspot.Outcome, seen int64, trailer metadata.MD) {
	switch o {
	case sweetspot.Done:
		c.pause.Succeeded()
	case sweetspot.Overloaded:
		c.pause.Refused(seen, min(pushback(trailer), cmp.Or(max(c.MaxPause, 0), defaultMaxPause)))
	}
}

// pushback returns the time that a trailer asks to wait for, 0 if it does not. A
// negative number says not to call again at all, which is not for a limit to keep.
func pushback(trailer metadata.MD) time.Duration {
	v := trailer[pushbackKey]
	if len(v) != 1 {
		return 0
	}
	ms, err := strconv.ParseInt(v[0], 10, 32)
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}
