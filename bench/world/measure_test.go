package main_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		trace, err := world.Measure(t.Context(), 4, 16, func(context.Context) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(8 * time.Millisecond)
			return nil
		}, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if got := world.Rate(trace, 0, 2); got < 498 || got > 500 || most.Load() != 4 { // of one instant, units and the last look
			t.Errorf("%v/s, %d at a time; want 500, 4", got, most.Load())
		}
		if n := now.Load(); n != 0 {
			t.Errorf("%d units outlive the measurement", n)
		}
	})
}

// One place for four callers: three are refused every 20 ms, as they ask again
// only then.
func TestMeasureRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, refused atomic.Int64
		trace, err := world.Measure(t.Context(), 4, 4, func(context.Context) error {
			defer now.Add(-1)
			if now.Add(1) > 1 {
				refused.Add(1)
				return fmt.Errorf("no room: %w", world.ErrRefused)
			}
			time.Sleep(10 * time.Second)
			return nil
		}, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if got := world.Refused(trace); got != 1 {
			t.Errorf("refused %v, want all: the first unit has not ended", got)
		}
		if n := refused.Load(); n < 300 || n > 303 { // of the instant of the end some may be in it
			t.Errorf("%d refusals, want 3 each 20 ms", n)
		}
	})
}

func TestMeasureFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		unit func(context.Context) error
		want string
	}{
		{func(context.Context) error { return broken }, "a unit failed: broken"},
		{func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, "units did not end within 1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			if _, err := world.Measure(t.Context(), 2, 4, c.unit, 2*time.Second); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
