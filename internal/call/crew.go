package call

import (
	"context"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/limit"
)

// fewHelpers is for how many helpers there is room at first.
const fewHelpers = 3

// A crew is what a Call has whose caller is not alone. It is apart, since short calls have
// none, and a smaller object makes them cheaper.
type crew struct {
	workers []*Worker               // with the caller, and those that left items behind
	few     [1 + fewHelpers]*Worker // room for the first of them
	room    []Worker                // for helpers to come
	due     due
	rested  *Worker // those that left: where limits change, they come and go
	parked  *Worker // those whose goroutines wait to be called again, unless there is a limiter
	helpers sync.WaitGroup

	own         *loop.Loop   // the limiter that this call has made, or nil
	permitLent  bool         // a helper works under the permit that the caller has inherited
	waiting     bool         // the waiter does (see startWaiter)
	place       limit.Waiter // where
	nothingLeft context.Context
	dismiss     context.CancelFunc // ends nothingLeft, if that is not ending
	ending      ending
	watch       watch
}

// accompany gives c a crew. c.mu is held, or nobody else knows of c.
func (c *Call) accompany() {
	if c.crew == nil {
		c.crew = new(crew)
		c.workers = append(c.few[:0], &c.Caller)
	}
	c.company.Store(true)
}
