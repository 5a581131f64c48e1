package loop_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestClosedLoopBatches: work that comes in batches, each when the last one has ended,
// waits for a permit during a part of the time. The limit must grow all the same, until a
// batch is in flight as a whole. Windows hold a few batches, so the last tenth may not show.
func TestClosedLoopBatches(t *testing.T) {
	const each = 10 * time.Millisecond
	for _, c := range []struct {
		size  int
		gap   time.Duration // between two batches
		timed bool
	}{
		{8, 5, true}, {8, 20, false}, {20, 10, true}, {20, 10, false}, {20, 50, true},
		{100, 10, true}, {100, 50, false}, {100, 200, true},
	} {
		c.gap *= time.Millisecond
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := governed(control.NewSearch(), loop.Config{Start: 4})
				unit := func() {
					if c.timed {
						l.Do(t.Context(), func(context.Context) error { time.Sleep(each); return nil })
						return
					}
					l.Acquire(t.Context())
					time.Sleep(each)
					l.Release()
				}
				batches := func(d time.Duration) (n int) {
					for end := time.Now().Add(d); time.Now().Before(end); n++ {
						var all sync.WaitGroup
						for range c.size {
							all.Go(unit)
						}
						all.Wait()
						time.Sleep(c.gap)
					}
					return n
				}
				batches(20 * time.Second)
				const lasts = 20 * time.Second
				share := float64(batches(lasts)) * (each + c.gap).Seconds() / lasts.Seconds()
				if limit := l.Limit(); share < 0.8 || limit > 4*c.size {
					t.Errorf("%.2f of the batches that could be, with a limit of %d; want 0.8 and at most %d", share, limit, 4*c.size)
				}
				rests(t, l)
			})
		})
	}
}

// TestClosedLoopBesideLongUnits: what one Limiter tries, with units that take a minute,
// keeps no other from climbing.
func TestClosedLoopBesideLongUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := governed(control.NewSearch(), loop.Config{Start: 2})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		keep := func(l *loop.Loop, takes time.Duration) {
			for range 200 {
				all.Go(func() {
					for ctx.Err() == nil {
						l.Do(ctx, func(context.Context) error { time.Sleep(takes); return nil })
					}
				})
			}
		}
		keep(long, time.Minute)
		pause(10 * time.Minute)
		brief := governed(control.NewSearch(), loop.Config{Start: 2})
		keep(brief, 50*time.Millisecond)
		pause(3 * time.Second)
		if got := brief.Limit(); got < 128 {
			t.Errorf("limit %d after 3 s beside %d units of a minute, want 128 at least; %v", got, long.Limit(), brief.Decisions())
		}
		cancel()
		all.Wait()
		rests(t, long)
		rests(t, brief)
	})
}
