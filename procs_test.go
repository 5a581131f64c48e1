package sweetspot_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// flaps changes GOMAXPROCS all the time, until the test has ended, and returns how often
// it has.
func flaps(t *testing.T) *atomic.Int64 {
	before := runtime.GOMAXPROCS(0)
	changes, stop, stopped := new(atomic.Int64), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GOMAXPROCS(1 + rand.IntN(8))
				changes.Add(1)
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
		runtime.GOMAXPROCS(before)
	})
	return changes
}

// TestProcsChange: whatever becomes of GOMAXPROCS while work is under way, all of it is
// done, once and right, no permit is kept and no goroutine stays.
func TestProcsChange(t *testing.T) {
	rerun.Skip(t) // it has numbers of its own
	const n = 1000
	// Most items compute, so that helpers come; some wait, so that a law takes over.
	work := func(i int) {
		if i%200 == 0 {
			time.Sleep(time.Millisecond)
			return
		}
		for began := time.Now(); time.Since(began) < time.Microsecond; {
		}
	}
	kinds := append(slices.Clone(calls), call{name: "Limiter", run: func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		_, l := sweetspot.BoundsIn(opts)
		l = cmp.Or(l, sweetspot.New())
		together(16, func(k int) {
			for i := k; i < n; i += 16 {
				if err := l.Do(ctx, func(ctx context.Context) error { return do(ctx, i) }); err != nil {
					t.Error(err)
				}
			}
		})
		return nil
	}})
	for _, c := range kinds {
		for option, opts := range map[string][]sweetspot.MapOption{
			"automatic": nil, "Fixed(3)": {sweetspot.Fixed(3)}, "a Limiter": {sweetspot.New()},
		} {
			t.Run(c.name+"/"+option, func(t *testing.T) {
				before := runtime.NumGoroutine()
				t.Run("flapping", func(t *testing.T) {
					changes := flaps(t)
					for changes.Load() < 8 {
						visits := make(once, n)
						if err := c.run(t.Context(), n, func(_ context.Context, i int) error {
							work(i)
							visits[i].Add(1)
							return nil
						}, opts...); err != nil {
							t.Fatal(err)
						}
						visits.check(t, 1)
					}
				})
				if len(opts) > 0 {
					if l, ok := opts[0].(*sweetspot.Limiter); ok {
						isFree(t, l)
					}
				}
				for began := time.Now(); runtime.NumGoroutine() > before; { // ticks of Limiters come and go
					if time.Since(began) > time.Minute {
						t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
	}
}
