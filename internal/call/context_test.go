package call_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

type key struct{}

func newContext(ctx context.Context) *call.Context {
	c := new(call.Context)
	c.Init(ctx, nil)
	return c
}

func TestContext(t *testing.T) {
	errWhy := errors.New("why")
	parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
	defer cancel(nil)
	for name, test := range map[string]struct {
		watched bool // Done is asked for before the end
		end     func(*call.Context)
		cause   error
	}{
		"failed":           {false, func(c *call.Context) { c.Cancel(errWhy) }, errWhy},
		"failed, watched":  {true, func(c *call.Context) { c.Cancel(errWhy) }, errWhy},
		"over":             {false, func(c *call.Context) { c.End() }, context.Canceled},
		"over, watched":    {true, func(c *call.Context) { c.End() }, context.Canceled},
		"failed, and over": {false, func(c *call.Context) { c.Cancel(errWhy); c.End() }, errWhy},
	} {
		c := newContext(parent)
		if c.Err() != nil || c.Value(key{}) != "value" {
			t.Errorf("%s: at first Err %v, Value %v", name, c.Err(), c.Value(key{}))
		}
		if test.watched {
			select {
			case <-c.Done():
				t.Errorf("%s: done at first", name)
			default:
			}
		}
		test.end(c)
		select {
		case <-c.Done():
		default:
			t.Errorf("%s: not done", name)
		}
		if c.Err() != context.Canceled || context.Cause(c) != test.cause || c.Value(key{}) != "value" {
			t.Errorf("%s: Err %v, Cause %v, Value %v", name, c.Err(), context.Cause(c), c.Value(key{}))
		}
	}
	cancel(errWhy)
	c := newContext(parent)
	if c.Err() != context.Canceled || context.Cause(c) != errWhy {
		t.Errorf("of a parent that is done: Err %v, Cause %v", c.Err(), context.Cause(c))
	}
}

// TestContextHasChildren: contexts derived from it end with it, without a
// goroutine for each.
func TestContextHasChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContext(t.Context())
		child, cancel := context.WithTimeout(c, time.Hour)
		defer cancel()
		errWhy := errors.New("why")
		c.Cancel(errWhy)
		if child.Err() == nil || context.Cause(child) != errWhy {
			t.Errorf("child: Err %v, Cause %v", child.Err(), context.Cause(child))
		}
	})
}
