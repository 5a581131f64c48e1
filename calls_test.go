package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// An item is the work of one index.
type item func(ctx context.Context, i int) error

// calls are the parallel calls in one shape: each runs do once for each number
// from 0 to n. What all of them promise is tested on all of them.
var calls = []struct {
	name string
	run  func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error
	// indexed says that errors come as ItemError, and AllErrors goes on.
	indexed bool
}{
	{"Map", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		out, err := sweetspot.Map(ctx, numbers(n), func(ctx context.Context, i int) (int, error) {
			return i + 1, do(ctx, i)
		}, opts...)
		if err != nil {
			return err
		}
		for i, v := range out {
			if v != i+1 {
				return fmt.Errorf("result %d is %d", i, v)
			}
		}
		if len(out) != n {
			return fmt.Errorf("%d results", len(out))
		}
		return nil
	}, true},
	{"ForEach", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEach(ctx, numbers(n), do, opts...)
	}, true},
	{"ForEachIndex", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEachIndex(ctx, n, do, opts...)
	}, true},
	{"Reduce", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		got, err := sweetspot.Reduce(ctx, numbers(n), newRuns, func(ctx context.Context, acc []span, i int) ([]span, error) {
			return join(acc, []span{{i, i + 1}}), do(ctx, i)
		}, join, opts...)
		return whole(got, n, err)
	}, true},
	{"ReduceRange", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		got, err := sweetspot.ReduceRange(ctx, n, newRuns, func(ctx context.Context, acc []span, lo, hi int) ([]span, error) {
			for i := lo; i < hi; i++ {
				if err := do(ctx, i); err != nil {
					return nil, err
				}
			}
			return join(acc, []span{{lo, hi}}), nil
		}, join, as[sweetspot.ChunkOption](opts)...)
		return whole(got, n, err)
	}, false},
	{"Workers", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.Workers(ctx, numbers(n), func(ctx context.Context, items iter.Seq2[int, int]) error {
			for i, v := range items {
				if i != v {
					return fmt.Errorf("item %d is %d", i, v)
				}
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		}, as[sweetspot.ChunkOption](opts)...)
	}, false},
	{"WorkersRange", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.WorkersRange(ctx, n, func(ctx context.Context, chunks iter.Seq2[int, int]) error {
			for lo, hi := range chunks {
				for i := lo; i < hi; i++ {
					if err := do(ctx, i); err != nil {
						return err
					}
				}
			}
			return nil
		}, as[sweetspot.ChunkOption](opts)...)
	}, false},
}

func numbers(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// A span is a range of numbers; a list of them, joined in order, shows every
// fault of a fold: an item twice, left out or out of place.
type span struct{ lo, hi int }

func newRuns() []span { return nil }

func join(a, b []span) []span {
	if len(a) > 0 && len(b) > 0 && a[len(a)-1].hi == b[0].lo {
		a[len(a)-1].hi = b[0].hi
		b = b[1:]
	}
	return append(a, b...)
}

func whole(got []span, n int, err error) error {
	switch {
	case err != nil:
		return err
	case n == 0 && len(got) == 0 || len(got) == 1 && got[0] == span{0, n}:
		return nil
	}
	return fmt.Errorf("folded %v of %d items", got, n)
}

// eachCall runs test on all calls, in a bubble of its own.
func eachCall(t *testing.T, test func(t *testing.T, run func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error)) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, c.run) })
		})
	}
}

// once counts the visits of each item.
type once []atomic.Int32

func (o once) check(t *testing.T, want int32) {
	t.Helper()
	for i := range o {
		if got := o[i].Load(); got != want {
			t.Fatalf("item %d was done %d times, want %d", i, got, want)
		}
	}
}

func TestCallsDoEachItemOnce(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{0, 1, 2, 3, 17, 100, 5000, 40_000} {
				for _, opts := range [][]sweetspot.MapOption{nil, {sweetspot.Fixed(1)}, {sweetspot.Fixed(3)}, {sweetspot.MinChunk(7)}, {setTo(sweetspot.New(), 2)}} {
					visits := make(once, n)
					if err := c.run(t.Context(), n, func(_ context.Context, i int) error {
						visits[i].Add(1)
						return nil
					}, opts...); err != nil {
						t.Fatalf("n = %d, %T: %v", n, opts, err)
					}
					visits.check(t, 1)
				}
			}
		})
	}
}

// TestCallsUseWhatFixedAllows: work that waits fills the number to the last, and
// never goes beyond.
func TestCallsUseWhatFixedAllows(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 2, 3, 10} {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
				var g gauge
				visits := make(once, 60)
				if err := run(t.Context(), 60, func(_ context.Context, i int) error {
					g.enter()
					defer g.leave()
					visits[i].Add(1)
					time.Sleep(time.Second)
					return nil
				}, opt); err != nil {
					t.Fatal(err)
				}
				visits.check(t, 1)
				if got := int(g.most.Load()); got != limit {
					t.Errorf("%T: at most %d in flight, want %d", opt, got, limit)
				}
				if g.now.Load() != 0 {
					t.Error("still in flight after the return")
				}
				if l, ok := opt.(*sweetspot.Limiter); ok {
					if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Completed == 0 {
						t.Errorf("afterwards the Limiter has %+v", s)
					}
				}
			}
		}
	})
}

func TestCallsFollowTheLimit(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		l := setTo(sweetspot.New(), 2)
		var g gauge
		go func() {
			for _, n := range []int{6, 1, 4} {
				time.Sleep(10*time.Second + time.Millisecond)
				l.SetLimit(n)
				time.Sleep(1500 * time.Millisecond) // those who are surplus leave after their item
				if got := int(g.now.Load()); got != n {
					t.Errorf("%d in flight at limit %d", got, n)
				}
			}
		}()
		if err := run(t.Context(), 200, func(context.Context, int) error {
			g.enter()
			defer g.leave()
			time.Sleep(time.Second)
			return nil
		}, l); err != nil {
			t.Fatal(err)
		}
		if got := g.total.Load(); got != 200 {
			t.Errorf("%d items done", got)
		}
	})
}

var errBad = errors.New("bad")

func TestCallsStopAtTheFirstError(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, limit := range []int{1, 4} {
					var g gauge
					err := c.run(t.Context(), 1000, func(ctx context.Context, i int) error {
						g.enter()
						defer g.leave()
						select {
						case <-time.After(time.Second):
						case <-ctx.Done():
							if cause := context.Cause(ctx); !errors.Is(cause, errBad) {
								t.Errorf("cancelled because of %v", cause)
							}
							return ctx.Err()
						}
						if g.total.Load() >= 20 {
							return errBad
						}
						return nil
					}, sweetspot.Fixed(limit))
					if !errors.Is(err, errBad) {
						t.Fatalf("error %v", err)
					}
					var ie *sweetspot.ItemError
					if got := errors.As(err, &ie); got != c.indexed {
						t.Errorf("%v as an ItemError: %v", err, got)
					}
					if got := g.total.Load(); got > 20+int64(limit) {
						t.Errorf("%d items were begun", got)
					}
					if g.now.Load() != 0 {
						t.Error("an item outlives the call")
					}
				}
			})
		})
	}
}

func TestCallsAllErrors(t *testing.T) {
	for _, c := range calls {
		if !c.indexed {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for _, limit := range []int{1, 4} {
				var total atomic.Int32
				err := c.run(t.Context(), 5000, func(_ context.Context, i int) error {
					total.Add(1)
					if i%1000 == 7 {
						return errBad
					}
					return nil
				}, sweetspot.AllErrors(), sweetspot.Fixed(limit))
				want := "item 7: bad\nitem 1007: bad\nitem 2007: bad\nitem 3007: bad\nitem 4007: bad"
				if err == nil || err.Error() != want || !errors.Is(err, errBad) {
					t.Errorf("error %q, want %q", err, want)
				}
				if total.Load() != 5000 {
					t.Errorf("%d items done", total.Load())
				}
			}
		})
	}
}

func TestCallsAreCancelled(t *testing.T) {
	errStop := errors.New("stop it")
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 3), sweetspot.MinChunk(1)} {
			// before
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errStop)
			err := run(ctx, 10, func(context.Context, int) error { t.Error("called"); return nil }, opt)
			if err != errStop {
				t.Errorf("cancelled before: %v", err)
			}
			// during
			ctx, cancel = context.WithCancelCause(t.Context())
			var total atomic.Int32
			err = run(ctx, 1000, func(ctx context.Context, _ int) error {
				if total.Add(1) == 30 {
					cancel(errStop)
				}
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					return ctx.Err()
				}
				return nil
			}, opt)
			if !errors.Is(err, errStop) && !errors.Is(err, context.Canceled) || total.Load() == 1000 {
				t.Errorf("cancelled during item 30: %v after %d items", err, total.Load())
			}
			// during, by somebody else, with callbacks that do not look; a governed
			// call that remembers how items of its function waited may have had
			// all of them in flight by then
			ctx, cancel = context.WithCancelCause(t.Context())
			time.AfterFunc(2500*time.Millisecond, func() { cancel(errStop) })
			total.Store(0)
			err = run(ctx, 1000, func(context.Context, int) error { time.Sleep(time.Second); total.Add(1); return nil }, opt)
			if err != errStop && (err != nil || total.Load() != 1000) {
				t.Errorf("cancelled during: %v after %d items", err, total.Load())
			}
			// after
			ctx, cancel = context.WithCancelCause(t.Context())
			var inner context.Context
			if err := run(ctx, 1, func(ctx context.Context, _ int) error { inner = ctx; return nil }, opt); err != nil {
				t.Error(err)
			}
			if inner.Done(); inner.Err() == nil {
				t.Error("the ctx of a callback outlives the call")
			}
			cancel(errStop)
		}
	})
}

// TestCallsWaitForASharedLimiter: a call that waits for its first permit gives
// up with its context.
func TestCallsWaitForASharedLimiter(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		l := setTo(sweetspot.New(), 1)
		l.Acquire(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := run(ctx, 3, func(context.Context, int) error { t.Error("called"); return nil }, l); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		l.Release()
		if err := run(t.Context(), 3, func(context.Context, int) error { return nil }, l); err != nil {
			t.Error(err)
		}
	})
}

// TestCallsShareALimiter: several calls together stay within the limit, and all
// of them get on.
func TestCallsShareALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		var g gauge
		var wg sync.WaitGroup
		for _, c := range calls {
			wg.Go(func() {
				if err := c.run(t.Context(), 40, func(context.Context, int) error {
					g.enter()
					defer g.leave()
					time.Sleep(100 * time.Millisecond)
					return nil
				}, l); err != nil {
					t.Error(c.name, err)
				}
			})
		}
		wg.Wait()
		if got, want := g.most.Load(), int64(4); got != want {
			t.Errorf("%d in flight, want %d", got, want)
		}
		if got, want := g.total.Load(), int64(40*len(calls)); got != want {
			t.Errorf("%d items done, want %d", got, want)
		}
	})
}

// TestCallsNest: an inner call runs under the permit of the outer one.
func TestCallsNest(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 3} {
			l := setTo(sweetspot.New(), limit)
			var g gauge
			err := run(t.Context(), 10, func(ctx context.Context, _ int) error {
				return run(ctx, 10, func(ctx context.Context, _ int) error {
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
		}
	})
}

func TestCallsPassOnPanics(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 4} {
			var g gauge
			value := refuse(func() {
				run(t.Context(), 1000, func(ctx context.Context, i int) error {
					g.enter()
					defer g.leave()
					if g.total.Load() >= 10 {
						explode()
					}
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
					return nil
				}, sweetspot.Fixed(limit))
			})
			p, ok := value.(*sweetspot.PanicError)
			if !ok || p.Value != errBad || !strings.Contains(string(p.Stack), "explode") || !errors.Is(p, errBad) {
				t.Fatalf("recovered %v", value)
			}
			if g.now.Load() != 0 || g.total.Load() > 10+int64(limit) {
				t.Errorf("%d run still, of %d begun", g.now.Load(), g.total.Load())
			}
			// through two calls it stays one PanicError
			value = refuse(func() {
				run(t.Context(), 3, func(ctx context.Context, _ int) error {
					return run(ctx, 3, func(context.Context, int) error { explode(); return nil }, sweetspot.Fixed(limit))
				}, sweetspot.Fixed(limit))
			})
			if p, ok := value.(*sweetspot.PanicError); !ok || p.Value != errBad {
				t.Errorf("recovered %v", value)
			}
		}
	})
}

func explode() { panic(errBad) }

func TestCallsPassOnGoexit(t *testing.T) {
	eachCall(t, func(t *testing.T, run func(context.Context, int, item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 4} {
			var g gauge
			returned, done := false, make(chan struct{})
			go func() {
				defer close(done)
				run(t.Context(), 100, func(_ context.Context, i int) error {
					g.enter()
					defer g.leave()
					time.Sleep(time.Second)
					if g.total.Load() >= 10 {
						runtime.Goexit()
					}
					return nil
				}, sweetspot.Fixed(limit))
				returned = true
			}()
			<-done
			if returned || g.now.Load() != 0 || g.total.Load() > 10+int64(limit) {
				t.Errorf("returned: %v, in flight %d of %d", returned, g.now.Load(), g.total.Load())
			}
		}
	})
}

// TestCallsFindGoroutinesForWaiting: without any option, work that waits gets
// more goroutines than there are CPUs.
func TestCallsFindGoroutinesForWaiting(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
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
}

// TestCallsSurviveAChangeOfGOMAXPROCS
func TestCallsSurviveAChangeOfGOMAXPROCS(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, c := range calls {
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
	}
}

func TestCallsRefuseMisuse(t *testing.T) {
	ctx := context.Background()
	for want, f := range map[string]func(){
		"sweetspot: Map: the function is nil":          func() { sweetspot.Map[int, int](ctx, nil, nil) },
		"sweetspot: ForEach: the function is nil":      func() { sweetspot.ForEach[int](ctx, nil, nil) },
		"sweetspot: Workers: the function is nil":      func() { sweetspot.Workers[int](ctx, nil, nil) },
		"sweetspot: WorkersRange: the function is nil": func() { sweetspot.WorkersRange(ctx, 1, nil) },
		"sweetspot: WorkersRange(-1): want 0 or more": func() {
			sweetspot.WorkersRange(ctx, -1, func(context.Context, iter.Seq2[int, int]) error { return nil })
		},
		"sweetspot: ForEachIndex: the function is nil": func() { sweetspot.ForEachIndex(ctx, 1, nil) },
		"sweetspot: ForEachIndex(-1): want 0 or more":  func() { sweetspot.ForEachIndex(ctx, -1, func(context.Context, int) error { return nil }) },
		"sweetspot: Reduce: a function is nil":         func() { sweetspot.Reduce[int, int](ctx, nil, nil, nil, nil) },
		"sweetspot: ReduceRange: a function is nil":    func() { sweetspot.ReduceRange[int](ctx, 1, nil, nil, nil) },
		"sweetspot: MinChunk(0): want 1 or more":       func() { sweetspot.MinChunk(0) },
		"sweetspot: SizeHint(-1): want 0 or more":      func() { sweetspot.SizeHint(-1) },
		"sweetspot: ForEach: option 2 of 2 is nil": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, sweetspot.MinChunk(1), nil)
		},
		"sweetspot: ForEach: option 1 of 1 is nil": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, (*sweetspot.Limiter)(nil))
		},
		"sweetspot: ForEach: both Fixed(2) and a Limiter: want one of them": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, sweetspot.Fixed(2), sweetspot.New())
		},
	} {
		if got := fmt.Sprint(refuse(f)); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// TestVeryLongRange: more numbers than the positions of a span are counted in
// blocks, and none is lost where they do not divide.
func TestVeryLongRange(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int has 32 bits here")
	}
	n := math.MaxInt>>30 + 12345 // 8,589,946,936
	got, err := sweetspot.ReduceRange(context.Background(), n, newRuns, func(_ context.Context, acc []span, lo, hi int) ([]span, error) {
		return join(acc, []span{{lo, hi}}), nil
	}, join)
	if err := whole(got, n, err); err != nil {
		t.Fatal(err)
	}
}
