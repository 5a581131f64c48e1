package sweetspot

import (
	"context"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
)

// waits times the Acquires of a named Limiter that have to wait.
type waits struct {
	mu sync.Mutex
	control.Histogram
}

// acquire is the Acquire of sem, timed if it has to wait. Only then a clock is
// read: a wait costs far more than that.
func (w *waits) acquire(ctx context.Context, l *Limiter, in *limit.Waiter) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if l.sem.TryAcquire() {
		return nil
	}
	if in == nil {
		in = new(limit.Waiter)
	}
	began := time.Now()
	err := l.sem.AcquireIn(ctx, in)
	took := time.Since(began).Seconds()
	w.mu.Lock()
	w.Add(took)
	w.mu.Unlock()
	return err
}

// Waits returns how long those waited for a permit who had to, since New, also
// those who waited in vain. Who found a permit free is not counted. Only a
// Limiter with a name (see [Name]) measures it; of others all counts are 0.
func (l *Limiter) Waits() control.Histogram {
	if l.waits == nil {
		return control.Histogram{}
	}
	l.waits.mu.Lock()
	defer l.waits.mu.Unlock()
	return l.waits.Histogram
}
