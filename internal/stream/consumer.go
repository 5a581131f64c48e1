package stream

import (
	"context"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A Consumer gives results to the body of a loop in a goroutine of its own.
type Consumer[R any] struct {
	Results[R]
	over    chan struct{} // closed when there will be no more results
	gone    chan struct{} // closed when the body has ended
	failure panics.Failure
}

// Consume starts a Consumer of the results of that call. The body reports whether it
// wants more.
func Consume[R any](h *call.Handle, unordered bool, body func(R, error) bool) *Consumer[R] {
	c := &Consumer[R]{over: make(chan struct{}), gone: make(chan struct{})}
	c.init(unordered)
	go c.run(h, body)
	return c
}

// run is the goroutine of the body.
func (c *Consumer[R]) run(h *call.Handle, body func(R, error) bool) {
	defer close(c.gone)
	returned := false
	defer func() {
		if !returned {
			c.failure = panics.Caught(recover(), h.Config.Wrap)
			h.Stop(context.Canceled)
		}
	}()
	for {
		value, err, ok := c.take(h.Context().Done(), c.over, h.Call)
		if !ok {
			break
		}
		if !body(value, err) {
			h.Stop(context.Canceled)
			break
		}
	}
	returned = true
}

// End is called when no more results come. It returns when the body has ended, and how.
func (c *Consumer[R]) End() panics.Failure {
	close(c.over)
	<-c.gone
	return c.failure
}
