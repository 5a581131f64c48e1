package sweetspot_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Contracts of all calls on what is done, and by how many at a time.

func TestCallsDoEachItemOnce(t *testing.T) {
	eachCall(t, nil, func(t *testing.T, c call) {
		for _, n := range []int{0, 1, 2, 3, 17, 100, 5000, 40_000} {
			for _, opts := range [][]sweetspot.MapOption{nil, {sweetspot.Fixed(1)}, {sweetspot.Fixed(3)}, {sweetspot.MinChunk(7)}, {setTo(sweetspot.New(), 2)}, {setTo(sweetspot.New(), 1)}} {
				visits := make(once, n)
				if err := c.run(t.Context(), n, func(_ context.Context, i int) error {
					visits[i].Add(1)
					for range i % 100 {
						spin()
					}
					return nil
				}, opts...); err != nil {
					t.Fatalf("n = %d, %T: %v", n, opts, err)
				}
				visits.check(t, 1)
			}
		}
	})
}

// spin takes some nanoseconds of a CPU, and under the race detector no more.
//
//go:noinline
func spin() {}

// TestCallsUseWhatIsAllowed: work that waits fills the number to the last, never goes
// beyond, and takes no longer than that many need.
func TestCallsUseWhatIsAllowed(t *testing.T) {
	eachCall(t, nil, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 2, 3, 10} {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
				const n = 60
				l, governed := opt.(*sweetspot.Limiter)
				least, most := limit, limit
				if c.name == "Join" { // halves move as what is known of the function says
					least = min(limit, 2)
					if governed {
						most++ // its caller holds no permit
					}
				}
				var g gauge
				visits := make(once, n)
				began := time.Now()
				if err := c.run(t.Context(), n, func(_ context.Context, i int) error {
					g.enter()
					defer g.leave()
					visits[i].Add(1)
					time.Sleep(time.Second)
					return nil
				}, opt); err != nil {
					t.Fatal(err)
				}
				visits.check(t, 1)
				if got := int(g.most.Load()); got < least || got > most {
					t.Errorf("%T: at most %d in flight, want %d", opt, got, most)
				}
				// A walk begins with one key.
				if took, most := time.Since(began), time.Duration(n/least+5)*time.Second; took > most {
					t.Errorf("%T of %d: took %v, want at most %v", opt, limit, took, most)
				}
				if g.now.Load() != 0 {
					t.Error("still in flight after the return")
				}
				if governed {
					if s := l.Stats(); s.Completed == 0 {
						t.Errorf("afterwards the Limiter has %+v", s)
					}
					isFree(t, l)
				}
			}
		}
	}))
}

func TestCallsFollowTheLimit(t *testing.T) {
	eachCall(t, exceptions{
		"Join": "a limit that changes counts from the next start of a goroutine on",
	}, inBubble(func(t *testing.T, c call) {
		for _, fails := range []error{nil, errStop} {
			if fails != nil && c.at == nil {
				continue // it ends with the first error
			}
			l := setTo(sweetspot.New(), 2)
			var g gauge
			go func() {
				for _, n := range []int{6, 1, 4} {
					time.Sleep(10*time.Second + time.Millisecond)
					l.SetLimit(n)
					time.Sleep(1500 * time.Millisecond) // those who are surplus leave after their item
					if got := int(g.now.Load()); got != n {
						t.Errorf("%d in flight at limit %d, where items end with %v", got, n, fails)
					}
				}
			}()
			if err := c.run(t.Context(), 200, func(context.Context, int) error {
				g.enter()
				defer g.leave()
				time.Sleep(time.Second)
				return fails
			}, l, sweetspot.AllErrors()); !errors.Is(err, fails) {
				t.Fatal(err)
			}
			if got := g.total.Load(); got != 200 {
				t.Errorf("%d items done", got)
			}
		}
	}))
}

// TestCallsShareALimiter: all calls together stay within the limit, and each gets on.
func TestCallsShareALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		var g gauge
		var wg sync.WaitGroup
		for _, c := range calls {
			if c.name == "Join" {
				continue // its caller holds no permit
			}
			for range 2 {
				wg.Go(func() {
					visits := make(once, 40)
					if err := c.run(t.Context(), 40, func(_ context.Context, i int) error {
						g.enter()
						defer g.leave()
						visits[i].Add(1)
						time.Sleep(100 * time.Millisecond)
						return nil
					}, l); err != nil {
						t.Error(c.name, err)
					}
					visits.check(t, 1)
				})
			}
		}
		wg.Wait()
		if got, want := g.most.Load(), int64(4); got != want {
			t.Errorf("%d in flight, want %d", got, want)
		}
		isFree(t, l)
	})
}

// TestCallsEndWithTheirLastItem: a call needs no permit after its last item, also where
// others have come to wait for one meanwhile, and keep it for long.
func TestCallsEndWithTheirLastItem(t *testing.T) {
	eachCall(t, nil, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 2, 4} {
			for _, n := range []int{1, 2, 7, 40} {
				l := setTo(sweetspot.New(), limit)
				var begun atomic.Int64
				var others sync.WaitGroup
				began := time.Now()
				if err := c.run(t.Context(), n, func(context.Context, int) error {
					if begun.Add(1) == int64(n) {
						for range limit {
							others.Go(func() {
								_ = l.Do(context.Background(), func(context.Context) error { time.Sleep(10 * time.Second); return nil })
							})
						}
					}
					time.Sleep(10 * time.Millisecond)
					return nil
				}, l); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("%d items of 10 ms took %v at limit %d", n, took, limit)
				}
				others.Wait()
				isFree(t, l)
			}
		}
	}))
}

// TestCallersWaitForNothing: a caller that waits for its next turn returns when its helpers
// have done the rest, although none of them has looked for more.
func TestCallersWaitForNothing(t *testing.T) {
	for _, c := range rangeCalls {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 2)
				var begun atomic.Int32
				var others sync.WaitGroup
				began := time.Now()
				if err := c.run(t.Context(), 3, func(context.Context, int) error {
					switch begun.Add(1) {
					case 1: // the caller's: its turn is over then, and that of a helper begins
						time.Sleep(1100 * time.Microsecond)
					case 2:
						time.Sleep(100 * time.Microsecond) // until that helper waits
						for range 3 {
							others.Go(func() {
								_ = l.Do(context.Background(), func(context.Context) error { time.Sleep(10 * time.Second); return nil })
							})
						}
						time.Sleep(1100 * time.Microsecond)
					case 3:
						time.Sleep(10 * time.Millisecond)
					}
					return nil
				}, l); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("it took %v", took)
				}
				others.Wait()
			})
		})
	}
}

// TestCallsWaitForASharedLimiter: a call that waits for its first permit gives
// up with its context.
func TestCallsWaitForASharedLimiter(t *testing.T) {
	eachCall(t, exceptions{
		"Join": "its caller needs no permit",
	}, inBubble(func(t *testing.T, c call) {
		l := setTo(sweetspot.New(), 1)
		take(t, l, 1)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errStop)
		defer cancel()
		if err := c.run(ctx, 3, func(context.Context, int) error { t.Error("called"); return nil }, l); err != errStop {
			t.Error(err)
		}
		l.Release()
		if err := c.run(t.Context(), 3, func(context.Context, int) error { return nil }, l); err != nil {
			t.Error(err)
		}
	}))
}

// TestCallsNest: an inner call runs under the permit of the outer one.
func TestCallsNest(t *testing.T) {
	eachCall(t, exceptions{
		"Join": "it has no context that could carry a permit",
		"Pool": "its workers need permits of their own",
	}, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 3} {
			l := setTo(sweetspot.New(), limit)
			var g gauge
			err := c.run(t.Context(), 10, func(ctx context.Context, _ int) error {
				return c.run(ctx, 10, func(ctx context.Context, _ int) error {
					return l.Do(ctx, func(context.Context) error {
						g.enter()
						defer g.leave()
						time.Sleep(time.Second)
						return nil
					})
				}, l)
			}, l)
			if err != nil || g.total.Load() != 100 {
				t.Errorf("%v after %d items", err, g.total.Load())
			}
			if got := g.most.Load(); got > int64(limit) {
				t.Errorf("%d in flight at limit %d", got, limit)
			}
			isFree(t, l)
		}
	}))
}

// TestCallsFindGoroutinesForWaiting: without any option, work that waits gets
// more goroutines than there are CPUs.
func TestCallsFindGoroutinesForWaiting(t *testing.T) {
	eachCall(t, exceptions{
		"Join": "it uses GOMAXPROCS goroutines",
	}, func(t *testing.T, c call) {
		var g gauge
		n := 500 * runtime.GOMAXPROCS(0)
		if err := c.run(t.Context(), n, func(context.Context, int) error {
			g.enter()
			defer g.leave()
			time.Sleep(5 * time.Millisecond)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := int(g.most.Load()); got <= runtime.GOMAXPROCS(0) {
			t.Errorf("never more than %d of %d items in flight", got, n)
		}
	})
}

func TestCallsSurviveAChangeOfGOMAXPROCS(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	eachCall(t, nil, func(t *testing.T, c call) {
		visits := make(once, 20_000)
		if err := c.run(t.Context(), len(visits), func(_ context.Context, i int) error {
			visits[i].Add(1)
			if i%5000 == 0 {
				runtime.GOMAXPROCS(1 + i/5000)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		visits.check(t, 1)
	})
}
