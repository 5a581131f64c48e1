package loop_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// Who waits is timed, also in vain; who does not is not.
func TestWaitsAreTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(loop.New(loop.Config{Name: t.Name()}), 1)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := l.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Second)
			l.Release()
		}()
		if err := l.Acquire(ctx); err != nil { // 1 s
			t.Fatal(err)
		}
		if err := l.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) { // 2 s
			t.Fatal(err)
		}
		if err := l.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) { // done at the call
			t.Fatal(err)
		}
		l.Release()
		w := l.Waits()
		if w.Count() != 2 || math.Abs(w.Sum-3) > 1e-6 {
			t.Errorf("%d waits of %v s, want 2 of 3", w.Count(), w.Sum)
		}
		if q := w.Quantile(1); math.Abs(q-2) > 0.4 {
			t.Errorf("the longest %v s, want 2", q)
		}
	})
	w := loop.New(loop.Config{}).Waits()
	if w.Count() != 0 {
		t.Errorf("%d waits without a name", w.Count())
	}
}

// Timing costs nothing where nobody waits.
func TestWaitsAllocateNothing(t *testing.T) {
	l := setTo(loop.New(loop.Config{Name: t.Name()}), 2)
	ctx := context.Background()
	if n := testing.AllocsPerRun(1000, func() {
		l.Acquire(ctx)
		l.Release()
	}); n > 0.01 {
		t.Errorf("%v allocations", n)
	}
	runtime.KeepAlive(l)
}
