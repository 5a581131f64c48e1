package loop

import (
	"context"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
)

// waits times the Acquires that have to wait.
type waits struct {
	mu sync.Mutex
	control.Histogram
}

// acquire takes a permit of sem, timed if it has to wait, in the place given if there is
// one. Only then a clock is read: a wait costs far more than that.
func (w *waits) acquire(ctx context.Context, sem *limit.Semaphore, in *limit.Waiter) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sem.TryAcquire() {
		return nil
	}
	began := time.Now()
	err := sem.AcquireIn(ctx, in)
	took := time.Since(began).Seconds()
	w.mu.Lock()
	w.Add(took)
	w.mu.Unlock()
	return err
}

func (w *waits) read() control.Histogram {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Histogram
}
