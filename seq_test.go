package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// count is a sequence of the numbers from 0 to n, which notes in ended that its
// cleanup ran.
func count(n int, ended *bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *ended = true }()
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// A seqCall is a call on a sequence, see seqCalls.
type seqCall = func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error

// eachSeqCall runs test on all calls on sequences but the exceptions, in a bubble of its own.
func eachSeqCall(t *testing.T, but exceptions, test func(t *testing.T, run seqCall)) {
	for _, c := range seqCalls {
		t.Run(c.name, func(t *testing.T) {
			if why, ok := but[c.name]; ok {
				t.Skip(why)
			}
			synctest.Test(t, func(t *testing.T) { test(t, c.run) })
		})
	}
}

// goroutine returns the name that the runtime has for the calling goroutine.
func goroutine() string {
	var b [64]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return name
}

// TestSeqCallsKeepTheirHelpers: where values come in bursts, helpers wait for the next
// one, and others need not be started.
func TestSeqCallsKeepTheirHelpers(t *testing.T) {
	eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
		const limit, bursts, each = 4, 20, 12
		seq := func(yield func(int) bool) {
			for i := range bursts * each {
				if i%each == 0 {
					time.Sleep(time.Minute)
				}
				if !yield(i) {
					return
				}
			}
		}
		var g gauge
		var mu sync.Mutex
		seen := map[string]bool{}
		full := 0
		if err := run(t.Context(), seq, func(context.Context, int) error {
			g.enter()
			defer g.leave()
			mu.Lock()
			seen[goroutine()] = true
			if g.now.Load() == limit {
				full++
			}
			mu.Unlock()
			time.Sleep(time.Second)
			return nil
		}, sweetspot.Fixed(limit)); err != nil {
			t.Fatal(err)
		}
		if len(seen) > limit+1 { // with the caller
			t.Errorf("%d goroutines had a part in it, want %d and the caller", len(seen), limit)
		}
		if full < bursts || g.most.Load() != limit {
			t.Errorf("all %d were at work at %d of %d items, at most %d", limit, full, bursts*each, g.most.Load())
		}
	})
}

// TestSeqCallsSendTheirHelpersHome: those that wait for the next burst go when there
// will be none, for whatever reason. The bubble sees who stays.
func TestSeqCallsSendTheirHelpersHome(t *testing.T) {
	for name, end := range map[string]func(cancel func()) error{
		"end":    func(func()) error { return nil },
		"cancel": func(cancel func()) error { cancel(); return nil },
		"error":  func(func()) error { return errBad },
		"panic":  func(func()) error { panic(errBad) },
		"Goexit": func(func()) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
				// The scheduler may have sent them home before the last item.
				rested := 0
				for range 10 {
					ctx, cancel := context.WithCancel(t.Context())
					seq := func(yield func(int) bool) {
						for i := range 25 {
							if i == 24 {
								time.Sleep(time.Hour)
								synctest.Wait()
							}
							if !yield(i) {
								return
							}
						}
					}
					var waited atomic.Int32
					var returned atomic.Bool
					done := make(chan struct{})
					go func() {
						defer close(done)
						defer func() { recover() }()
						_ = run(ctx, seq, func(ctx context.Context, i int) error {
							if i == 24 {
								_, n := sweetspot.WorkersOf(ctx)
								waited.Store(int32(n))
								return end(cancel)
							}
							time.Sleep(time.Second)
							return nil
						}, sweetspot.Fixed(4))
						returned.Store(true)
					}()
					<-done
					if returned.Load() != (name != "panic" && name != "Goexit") {
						t.Errorf("returned: %v", returned.Load())
					}
					cancel()
					if rested = max(rested, int(waited.Load())); rested >= 2 {
						break
					}
				}
				if rested < 2 {
					t.Errorf("%d helpers waited for the last item, want 2 and more", rested)
				}
			})
		})
	}
}

// TestSeqCallsBearFeedback: a source may wait for what becomes of the values it
// gave, and a callback for the callbacks of earlier values.
func TestSeqCallsBearFeedback(t *testing.T) {
	eachSeqCall(t, exceptions{"Walk of roots": "a visit may come before that of an earlier root"}, func(t *testing.T, run seqCall) {
		for _, cost := range []time.Duration{0, 10 * time.Microsecond, time.Millisecond} {
			for _, limit := range []int{1, 2, 5} {
				for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
					const n = 500
					var done [n]chan bool
					for i := range done {
						done[i] = make(chan bool)
					}
					err := run(t.Context(), func(yield func(int) bool) {
						for i := range n {
							if !yield(i) {
								return
							}
							if i%3 == 0 {
								<-done[i]
							}
						}
					}, func(_ context.Context, i int) error {
						time.Sleep(cost)
						if i%7 == 1 {
							<-done[i-1]
						}
						close(done[i])
						return nil
					}, opt)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// TestSeqCallsTakeValuesOnDemand: never far ahead of those who do them, also of a sequence
// without end.
func TestSeqCallsTakeValuesOnDemand(t *testing.T) {
	eachSeqCall(t, exceptions{"Walk of roots": "it takes roots for a millisecond of work ahead"}, func(t *testing.T, run seqCall) {
		for _, limit := range []int{1, 2, 3, 10} {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
				var g gauge
				taken, ahead := 0, 0
				err := run(t.Context(), func(yield func(int) bool) {
					for i := 0; ; i++ {
						taken++
						ahead = max(ahead, taken-int(g.total.Load()-g.now.Load()))
						if !yield(i) {
							return
						}
					}
				}, func(_ context.Context, i int) error {
					g.enter()
					defer g.leave()
					time.Sleep(time.Second)
					if i == 60 {
						return errBad
					}
					return nil
				}, opt)
				if !errors.Is(err, errBad) {
					t.Fatal(err)
				}
				if ahead > 2*(limit+1)+1 { // who leaves for want of a permit counts until it is gone
					t.Errorf("%T: %d values taken that were not done, at limit %d", opt, ahead, limit)
				}
			}
		}
	})
}

// TestSourcesEndTheCall: a source may end because of the context, panic or exit, whatever
// the callbacks do at that moment.
func TestSourcesEndTheCall(t *testing.T) {
	for name, end := range map[string]func(cancel context.CancelCauseFunc){
		"cancel": func(cancel context.CancelCauseFunc) { cancel(errStop) },
		"panic":  func(context.CancelCauseFunc) { explode() },
		"Goexit": func(context.CancelCauseFunc) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
				for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(4), setTo(sweetspot.New(), 3), sweetspot.MinChunk(1)} {
					ctx, cancel := context.WithCancelCause(t.Context())
					var g gauge
					var err error
					var value any
					returned, ended, done := false, false, make(chan struct{})
					go func() {
						defer close(done)
						value = refuse(func() {
							err = run(ctx, func(yield func(int) bool) {
								defer func() { ended = true }()
								for i := 0; ctx.Err() == nil && yield(i); i++ {
									if i == 10 {
										end(cancel)
									}
								}
							}, func(context.Context, int) error {
								g.enter()
								defer g.leave()
								time.Sleep(time.Second)
								return nil
							}, opt)
							returned = true
						})
					}()
					<-done
					p, panicked := value.(*sweetspot.PanicError)
					switch {
					case name == "cancel" && (!returned || err != errStop):
						t.Errorf("%T: returned: %v, error %v", opt, returned, err)
					case name == "panic" && (!panicked || p.Value != errBad || !strings.Contains(string(p.Stack), "explode")):
						t.Errorf("%T: recovered %v", opt, value)
					case name == "Goexit" && (returned || value != nil):
						t.Errorf("%T: returned: %v, recovered %v", opt, returned, value)
					}
					if !ended || g.now.Load() != 0 || g.total.Load() > 11 {
						t.Errorf("%T: sequence ended: %v, in flight %d of %d", opt, ended, g.now.Load(), g.total.Load())
					}
				}
			})
		})
	}
}

// TestSeqCallsNestWithFeedback: the source of an inner call waits for what its callback does
// under the permit of the outer one.
func TestSeqCallsNestWithFeedback(t *testing.T) {
	eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
		for _, limit := range []int{1, 3} {
			l := setTo(sweetspot.New(), limit)
			var g gauge
			err := run(t.Context(), slices.Values(numbers(10)), func(ctx context.Context, _ int) error {
				done := make(chan bool, 10)
				return run(ctx, func(yield func(int) bool) {
					for i := 0; i < 10 && yield(i); i++ {
						<-done
					}
				}, func(ctx context.Context, _ int) error {
					defer func() { done <- true }()
					return l.Do(ctx, func(context.Context) error {
						g.enter()
						defer g.leave()
						time.Sleep(time.Second)
						return nil
					})
				}, l)
			}, l)
			if err != nil || g.total.Load() != 100 || g.most.Load() > int64(limit) {
				t.Errorf("%v after %d items, %d in flight at limit %d", err, g.total.Load(), g.most.Load(), limit)
			}
			isFree(t, l)
		}
	})
}

// TestSourcesWaitForTheLimiter: a source waits for permits of the Limiter that the call runs
// under, as one call's results that are another one's values do.
func TestSourcesWaitForTheLimiter(t *testing.T) {
	eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
		for _, cost := range []time.Duration{0, time.Microsecond, time.Second} {
			l := setTo(sweetspot.New(), 1)
			n := 0
			err := run(t.Context(), func(yield func(int) bool) {
				for i := range 50 {
					if err := l.Do(t.Context(), func(context.Context) error { time.Sleep(cost); return nil }); err != nil || !yield(i) {
						return
					}
				}
			}, func(context.Context, int) error { n++; time.Sleep(cost); return nil }, l)
			if err != nil || n != 50 {
				t.Errorf("values that cost %v: %v after %d", cost, err, n)
			}
			isFree(t, l)
		}
	})
}

// TestSourcesEndUnderTheLimiter: a call that fails, or whose ctx ends, takes few values more,
// and holds no permit while the source cleans up.
func TestSourcesEndUnderTheLimiter(t *testing.T) {
	eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
		for _, fails := range []bool{true, false} {
			l := setTo(sweetspot.New(), 1)
			ctx, cancel := context.WithCancel(t.Context())
			taken := 0
			err := run(ctx, func(yield func(int) bool) {
				defer func() {
					if err := l.Do(t.Context(), func(context.Context) error { return nil }); err != nil {
						t.Error(err)
					}
				}()
				for i := range 1000 {
					time.Sleep(time.Millisecond)
					if taken = i; !fails && i == 500 {
						cancel()
					}
					if !yield(i) {
						return
					}
				}
			}, func(_ context.Context, i int) error {
				if fails && i == 500 {
					return errBad
				}
				return nil
			}, l)
			cancel()
			if err == nil || taken > 510 {
				t.Errorf("fails %v: %v after %d values", fails, err, taken)
			}
			isFree(t, l)
		}
	})
}

// TestSequencesMustNotGoOn: where one swallows a panic and ends or gives more values, or
// gives one after its end, the call must not look as if all was well.
func TestSequencesMustNotGoOn(t *testing.T) {
	for _, c := range seqCalls {
		t.Run(c.name, func(t *testing.T) {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
				for _, n := range []int{1, 100} {
					for _, bad := range []int{0, 1, 5, 20, 99} {
						value := refuse(func() {
							c.run(t.Context(), func(yield func(int) bool) {
								for i := range n {
									refuse(func() { yield(i) })
								}
							}, func(_ context.Context, i int) error {
								if i == bad {
									panic(errBad)
								}
								return nil
							}, opt)
						})
						if _, ok := value.(*sweetspot.PanicError); ok != (bad < n) {
							t.Errorf("%T: item %d of %d panics, and the call with %v", opt, bad, n, value)
						}
					}
				}
			}
			var late func(int) bool
			n := 0
			err := c.run(t.Context(), func(yield func(int) bool) { late = yield; yield(0) }, func(context.Context, int) error { n++; return nil }, sweetspot.Fixed(1))
			value := refuse(func() { late(2) })
			if want := "after it had returned"; err != nil || n != 1 || !strings.Contains(fmt.Sprint(value), want) {
				t.Errorf("%v after %d items; a late value panics with %v, want %q", err, n, value, want)
			}
		})
	}
	value := refuse(func() {
		sweetspot.ForEachSeq(t.Context(), func(yield func(int) bool) { refuse(func() { yield(1) }) },
			func(context.Context, int) error { panic(errBad) })
	})
	if want := "the sequence recovered a panic"; !strings.Contains(fmt.Sprint(value), want) {
		t.Errorf("recovered %v, want %q", value, want)
	}
}

// TestSeqCallsBearPauses: where the source falls behind quick callbacks, and helpers leave,
// the caller does the items, until helpers pay again.
func TestSeqCallsBearPauses(t *testing.T) {
	eachSeqCall(t, nil, func(t *testing.T, run seqCall) {
		for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 2)} {
			visits := make(once, 2000)
			if err := run(t.Context(), func(yield func(int) bool) {
				for i := 0; i < len(visits) && yield(i); i++ {
					if i%500 > 450 {
						time.Sleep(time.Millisecond)
					}
				}
			}, func(_ context.Context, i int) error {
				visits[i].Add(1)
				time.Sleep(10 * time.Microsecond)
				return nil
			}, opt); err != nil {
				t.Fatal(err)
			}
			visits.check(t, 1)
		}
	})
}

// MinChunk may be more than any sequence has.
func TestSeqWithALargeMinChunk(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 4, math.MaxInt / 1000} {
		l := setTo(sweetspot.New(), 2)
		var done atomic.Int32
		err := sweetspot.ForEachSeq(t.Context(), slices.Values(numbers(3)),
			func(context.Context, int) error { done.Add(1); return nil }, l, sweetspot.MinChunk(n))
		if err != nil || done.Load() != 3 {
			t.Errorf("MinChunk(%d): %v after %d values", n, err, done.Load())
		}
		results := 0
		for _, err := range sweetspot.MapSeq(t.Context(), slices.Values(numbers(3)), slowly(0), l, sweetspot.MinChunk(n)) {
			if err == nil {
				results++
			}
		}
		if results != 3 {
			t.Errorf("MinChunk(%d): %d results", n, results)
		}
	}
}

// The loop's body panics at the last pair, too.
func TestMapSeqPanicAtTheLastPair(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	value := refuse(func() {
		for _, err := range sweetspot.MapSeq(ctx, slices.Values(numbers(3)), slowly(0)) {
			panic(err)
		}
	})
	if p, ok := value.(*sweetspot.PanicError); !ok || p.Value != errStop {
		t.Errorf("recovered %T %v", value, value)
	}
}
