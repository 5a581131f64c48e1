package stream

import (
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// yieldsAway is how often a helper yields that waits for a caller that is away, some
// 0.1 ms.
const yieldsAway = 512

// Serve does items from the queue until it is empty, or the worker must leave.
func (p *Producer[T]) Serve(w *call.Worker) error {
	var items []T
	defer func() { p.queue.leave(items) }()
	for {
		_, ok := w.Account()
		if !ok {
			return nil
		}
		if w.Sizer.Cost > 0 {
			p.SetCost(w.Sizer.Cost)
		}
		k := max(w.Sizer.Next(call.BatchMost), p.least())
		var first int
		items, first = p.claim(w, items[:0], k)
		if len(items) == 0 {
			return nil
		}
		w.Items = len(items)
		if err := p.Items.Visit(w, first, items); err != nil {
			return err
		}
		clear(items)
	}
}

// claim is that of the queue, for a helper. One that finds nothing yields a few
// times before it gives up, since it costs more to call it again; it may be the caller
// that waits for this CPU. While the caller is about to come back to its source, it
// yields for as long as it takes to wake a thread.
func (p *Producer[T]) claim(w *call.Worker, batch []T, k int) (items []T, first int) {
	left := call.Yields
	for looks := 0; ; looks++ {
		items, first = p.queue.claim(batch, k, p.Helpers()+1, p.least())
		if p.full.Load() && p.full.CompareAndSwap(true, false) {
			notify(p.room)
		}
		if len(items) > 0 || left == 0 || p.Stopped() || p.Unclaimed.Load() == 0 {
			return items, first
		}
		if looks < yieldsAway && p.away.Load() {
			left = call.Yields
		} else {
			left--
		}
		runtime.Gosched()
		w.Began = p.Clock()
	}
}
