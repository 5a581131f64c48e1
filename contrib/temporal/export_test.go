package temporallimit

import (
	"context"

	"github.com/sweetspot-go/sweetspot"
	"go.temporal.io/sdk/worker"
)

// IdleAfter is how long a poll holds a permit without a task.
const IdleAfter = idleAfter

// Open returns how many activities a supplier knows of.
func Open(s worker.SlotSupplier) int {
	sup := supplierOf(s)
	sup.mu.Lock()
	defer sup.mu.Unlock()
	return len(sup.open)
}

// Issued returns how many slots of a supplier hold no permit of the Limiter, or are
// in use.
func Issued(s worker.SlotSupplier) int {
	sup := supplierOf(s)
	sup.mu.Lock()
	defer sup.mu.Unlock()
	n := 0
	for _, i := range sup.idle {
		n += i
	}
	if n != sup.idling {
		panic("idle slots are miscounted")
	}
	for _, b := range sup.bare {
		n += b
	}
	return n + len(sup.open) + len(sup.untold)
}

func supplierOf(s worker.SlotSupplier) *SlotSupplier {
	if h, ok := s.(share); ok {
		return h.SlotSupplier
	}
	return s.(*SlotSupplier)
}

// Execute starts an activity of a task queue, and returns what ends it; ctx is nil unless it is local.
func Execute(s *SlotSupplier, queue string, ctx context.Context) (end func(sweetspot.Outcome)) {
	e := s.start(source{taskQueue: queue}, ctx)
	return func(o sweetspot.Outcome) { s.end(e, o) }
}
