package sweetspot_test

import (
	"context"
	"math/rand/v2"
	"runtime"
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
	type runs func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error
	kinds := map[string]runs{
		"Walk": func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			for i := range visits {
				visits[i].Add(1) // explore counts by itself
			}
			return explore(t, tangle(n, 3), n, func(ctx context.Context, k int) error { work(k); return nil }, as[sweetspot.WalkOption](opts)...)
		},
		"Join": func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			var sum func(j *sweetspot.Joiner, r [2]int) int
			sum = func(j *sweetspot.Joiner, r [2]int) int {
				if r[1]-r[0] == 1 {
					do(t.Context(), r[0])
					return r[0]
				}
				mid := (r[0] + r[1]) / 2
				a, b := sweetspot.Join(j, sum, [2]int{r[0], mid}, [2]int{mid, r[1]})
				return a + b
			}
			if got, want := sum(sweetspot.NewJoiner(as[sweetspot.Option](opts)...), [2]int{0, n}), n*(n-1)/2; got != want {
				t.Errorf("Join sums to %d, want %d", got, want)
			}
			return nil
		},
		"Group": func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			var g sweetspot.Group
			g.SetLimit(3)
			if len(opts) > 0 {
				if l, ok := opts[0].(*sweetspot.Limiter); ok {
					g.SetLimiter(l)
				}
			}
			for i := range n {
				g.Go(func() error { return do(t.Context(), i) })
				if i%64 == 0 {
					g.SetLimit(1 + i/64%5)
				}
			}
			return g.Wait()
		},
		"Pool": func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			p := sweetspot.NewPool(t.Context(), each(func(ctx context.Context, i int) { do(ctx, i) }), as[sweetspot.ChunkOption](opts)...)
			together(4, func(k int) {
				for i := k; i < n; i += 4 {
					if err := p.Submit(t.Context(), i); err != nil {
						t.Error(err)
					}
				}
			})
			return p.Close()
		},
		"Limiter": func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			l := sweetspot.New()
			if len(opts) > 0 {
				if given, ok := opts[0].(*sweetspot.Limiter); ok {
					l = given
				}
			}
			together(16, func(k int) {
				for i := k; i < n; i += 16 {
					if err := l.Do(t.Context(), func(ctx context.Context) error { return do(ctx, i) }); err != nil {
						t.Error(err)
					}
				}
			})
			return nil
		},
	}
	for _, c := range calls {
		kinds[c.name] = func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			return c.run(t.Context(), n, do, opts...)
		}
	}
	for _, c := range seqCalls {
		kinds[c.name] = func(t *testing.T, visits once, do item, opts ...sweetspot.MapOption) error {
			ended := false
			return c.run(t.Context(), count(n, &ended), do, opts...)
		}
	}
	for name, run := range kinds {
		for option, opts := range map[string][]sweetspot.MapOption{
			"automatic": nil, "Fixed(3)": {sweetspot.Fixed(3)}, "a Limiter": {sweetspot.New()},
		} {
			t.Run(name+"/"+option, func(t *testing.T) {
				before := runtime.NumGoroutine()
				t.Run("flapping", func(t *testing.T) {
					changes := flaps(t)
					for changes.Load() < 8 {
						visits := make(once, n)
						if err := run(t, visits, func(_ context.Context, i int) error {
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
				for i := 0; runtime.NumGoroutine() > before; i++ {
					if i == 1000 { // ticks of Limiters come and go
						t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
	}
}
