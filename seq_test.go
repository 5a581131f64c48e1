package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// seqCalls are the calls over sequences in the shape of the calls over slices.
var seqCalls = []struct {
	name string
	run  func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error
}{
	{"ForEachSeq", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEachSeq(ctx, seq, do, opts...)
	}},
	{"MapSeq", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		n := 0
		for v, err := range sweetspot.MapSeq(ctx, seq, func(ctx context.Context, i int) (int, error) { return i + 1, do(ctx, i) }, as[sweetspot.MapSeqOption](opts)...) {
			if err != nil {
				return err
			}
			if n++; v != n {
				return fmt.Errorf("result %d is %d", n, v)
			}
		}
		return nil
	}},
	{"MapSeq unordered", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		var seen []bool
		for v, err := range sweetspot.MapSeq(ctx, seq, func(ctx context.Context, i int) (int, error) { return i, do(ctx, i) }, append(as[sweetspot.MapSeqOption](opts), sweetspot.Unordered())...) {
			if err != nil {
				return err
			}
			for len(seen) <= v {
				seen = append(seen, false)
			}
			if seen[v] {
				return fmt.Errorf("result %d came twice", v)
			}
			seen[v] = true
		}
		if slices.Contains(seen, false) {
			return errors.New("a result is missing")
		}
		return nil
	}},
}

func eachSeqCall(t *testing.T, test func(t *testing.T, run func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error)) {
	for _, c := range seqCalls {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, c.run) })
		})
	}
}

func TestSeqCallsDoEachItemOnce(t *testing.T) {
	for _, c := range seqCalls {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{0, 1, 2, 3, 17, 100, 5000, 40_000} {
				for _, opts := range [][]sweetspot.MapOption{nil, {sweetspot.Fixed(1)}, {sweetspot.Fixed(3)}, {sweetspot.MinChunk(7)}, {setTo(sweetspot.New(), 2)}, {setTo(sweetspot.New(), 1)}} {
					visits := make(once, n)
					ended := false
					if err := c.run(t.Context(), count(n, &ended), func(_ context.Context, i int) error {
						visits[i].Add(1)
						for range i % 100 {
							spin()
						}
						return nil
					}, opts...); err != nil {
						t.Fatalf("n = %d, %T: %v", n, opts, err)
					}
					visits.check(t, 1)
					if !ended {
						t.Error("the sequence has not ended")
					}
				}
			}
		})
	}
}

var spun atomic.Int64

// spin takes some nanoseconds of a CPU.
func spin() { spun.Load() }

// goroutine returns the name that the runtime has for the calling goroutine.
func goroutine() string {
	var b [64]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return name
}

// TestSeqCallsKeepTheirHelpers: where values come in bursts, helpers wait for the next
// one, and others need not be started.
func TestSeqCallsKeepTheirHelpers(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
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
			eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
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
				var rested atomic.Int32
				var returned atomic.Bool
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { recover() }()
					_ = run(ctx, seq, func(ctx context.Context, i int) error {
						if i == 24 {
							_, n := sweetspot.WorkersOf(ctx)
							rested.Store(int32(n))
							return end(cancel)
						}
						time.Sleep(time.Second)
						return nil
					}, sweetspot.Fixed(4))
					returned.Store(true)
				}()
				<-done
				if rested.Load() < 2 {
					t.Errorf("%d helpers waited for the last item, want 2 and more", rested.Load())
				}
				if returned.Load() != (name != "panic" && name != "Goexit") {
					t.Errorf("returned: %v", returned.Load())
				}
			})
		})
	}
}

// TestSeqCallsUseWhatFixedAllows: values that wait fill the number to the last,
// and are never taken far ahead of those who do them.
func TestSeqCallsUseWhatFixedAllows(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 2, 3, 10} {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
				var g gauge
				taken, ahead := 0, 0
				seq := func(yield func(int) bool) {
					for i := range 60 {
						taken++
						ahead = max(ahead, taken-int(g.total.Load()-g.now.Load()))
						if !yield(i) {
							return
						}
					}
				}
				visits := make(once, 60)
				began := time.Now()
				if err := run(t.Context(), seq, func(_ context.Context, i int) error {
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
				if got, most := time.Since(began), time.Second*time.Duration(1+(59+limit-1)/limit); got > most {
					t.Errorf("%T: took %v at limit %d, want at most %v", opt, got, limit, most)
				}
				if ahead > 2*(limit+1)+1 { // who leaves for want of a permit counts until it is gone
					t.Errorf("%T: %d values taken that were not done, at limit %d", opt, ahead, limit)
				}
				if g.now.Load() != 0 {
					t.Error("still in flight after the return")
				}
				if l, ok := opt.(*sweetspot.Limiter); ok {
					if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Completed != 60 {
						t.Errorf("afterwards the Limiter has %+v", s)
					}
				}
			}
		}
	})
}

func TestSeqCallsFollowTheLimit(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
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
		if err := run(t.Context(), slices.Values(numbers(200)), func(context.Context, int) error {
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

func TestSeqCallsStopAtTheFirstError(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 4} {
			var g gauge
			ended := false
			err := run(t.Context(), count(1000, &ended), func(ctx context.Context, i int) error {
				g.enter()
				defer g.leave()
				if i == 20 {
					return errBad
				}
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					return ctx.Err()
				}
				return nil
			}, sweetspot.Fixed(limit))
			var ie *sweetspot.ItemError
			if !errors.As(err, &ie) || ie.Index != 20 || ie.Err != errBad {
				t.Fatalf("error %v", err)
			}
			if got := g.total.Load(); got > 21+int64(limit) || g.now.Load() != 0 || !ended {
				t.Errorf("%d items were begun, %d run still, sequence ended: %v", got, g.now.Load(), ended)
			}
		}
	})
}

func TestForEachSeqJoinsErrors(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			for _, limit := range []int{1, 4} {
				ended := false
				err := sweetspot.ForEachSeq(t.Context(), count(5000, &ended), func(_ context.Context, i int) error {
					time.Sleep(pause)
					if i%1000 == 7 {
						return errBad
					}
					return nil
				}, sweetspot.AllErrors(), sweetspot.Fixed(limit))
				want := "item 7: bad\nitem 1007: bad\nitem 2007: bad\nitem 3007: bad\nitem 4007: bad"
				if err == nil || err.Error() != want || !errors.Is(err, errBad) {
					t.Errorf("error %q, want %q", err, want)
				}
			}
		})
	}
}

func TestSeqCallsAreCancelled(t *testing.T) {
	errStop := errors.New("stop it")
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 3), sweetspot.MinChunk(1)} {
			// before
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errStop)
			ended := false
			err := run(ctx, count(10, &ended), func(context.Context, int) error { t.Error("called"); return nil }, opt)
			if err != errStop || ended {
				t.Errorf("cancelled before: %v, sequence ran: %v", err, ended)
			}
			// during, by a callback
			ctx, cancel = context.WithCancelCause(t.Context())
			var total atomic.Int32
			err = run(ctx, count(1000, &ended), func(ctx context.Context, _ int) error {
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
			if err != errStop || total.Load() == 1000 || !ended {
				t.Errorf("cancelled during item 30: %v after %d items", err, total.Load())
			}
			// by somebody else, with callbacks that do not look
			ctx, cancel = context.WithCancelCause(t.Context())
			time.AfterFunc(2500*time.Millisecond, func() { cancel(errStop) })
			err = run(ctx, count(1<<30, &ended), func(context.Context, int) error { time.Sleep(time.Second); return nil }, opt)
			if err != errStop {
				t.Errorf("cancelled during: %v", err)
			}
			// the source looks, and ends early
			ctx, cancel = context.WithCancelCause(t.Context())
			err = run(ctx, func(yield func(int) bool) {
				for i := 0; ctx.Err() == nil && yield(i); i++ {
					if i == 10 {
						cancel(errStop)
					}
				}
			}, func(context.Context, int) error { time.Sleep(time.Second); return nil }, opt)
			if err != errStop {
				t.Errorf("a sequence that ends because of the context: %v", err)
			}
		}
	})
}

func TestSeqCallsShareALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		var g gauge
		var wg sync.WaitGroup
		n := 0
		for _, c := range seqCalls {
			for range 3 {
				n += 40
				wg.Go(func() {
					if err := c.run(t.Context(), slices.Values(numbers(40)), func(context.Context, int) error {
						g.enter()
						defer g.leave()
						time.Sleep(100 * time.Millisecond)
						return nil
					}, l); err != nil {
						t.Error(c.name, err)
					}
				})
			}
		}
		wg.Wait()
		if got, want := g.most.Load(), int64(4); got != want {
			t.Errorf("%d in flight, want %d", got, want)
		}
		if got := int(g.total.Load()); got != n {
			t.Errorf("%d items done, want %d", got, n)
		}
	})
}

// TestSeqCallsNest: an inner call runs under the permit of the outer one, and
// its source may wait for what its callback does.
func TestSeqCallsNest(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 3} {
			l := setTo(sweetspot.New(), limit)
			var g gauge
			err := run(t.Context(), slices.Values(numbers(10)), func(ctx context.Context, _ int) error {
				done := make(chan bool, 10)
				return run(ctx, func(yield func(int) bool) {
					for i := range 10 {
						if !yield(i) {
							return
						}
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
			if err != nil || g.total.Load() != 100 {
				t.Errorf("%v after %d items", err, g.total.Load())
			}
			if got := g.most.Load(); got > int64(limit) {
				t.Errorf("%d in flight at limit %d", got, limit)
			}
			if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("afterwards the Limiter has %+v", s)
			}
		}
	})
}

// TestSeqCallsBearFeedback: a source may wait for what becomes of the values it
// gave, and a callback for the callbacks of earlier values.
func TestSeqCallsBearFeedback(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
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

func TestSeqCallsPassOnPanics(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 4} {
			for _, inSource := range []bool{false, true} {
				var g gauge
				ended := false
				value := refuse(func() {
					run(t.Context(), func(yield func(int) bool) {
						defer func() { ended = true }()
						for i := 0; i < 1000 && yield(i); i++ {
							if inSource && i == 10 {
								explode()
							}
						}
					}, func(ctx context.Context, i int) error {
						g.enter()
						defer g.leave()
						if i == 10 && !inSource {
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
				if g.now.Load() != 0 || g.total.Load() > 11+int64(limit) || !ended {
					t.Errorf("%d run still, of %d begun; sequence ended: %v", g.now.Load(), g.total.Load(), ended)
				}
			}
		}
	})
}

func TestSeqCallsPassOnGoexit(t *testing.T) {
	eachSeqCall(t, func(t *testing.T, run func(context.Context, iter.Seq[int], item, ...sweetspot.MapOption) error) {
		for _, limit := range []int{1, 4} {
			for _, inSource := range []bool{false, true} {
				var g gauge
				returned, ended, done := false, false, make(chan struct{})
				go func() {
					defer close(done)
					run(t.Context(), func(yield func(int) bool) {
						defer func() { ended = true }()
						for i := 0; i < 1000 && yield(i); i++ {
							if inSource && i == 10 {
								runtime.Goexit()
							}
						}
					}, func(_ context.Context, i int) error {
						g.enter()
						defer g.leave()
						time.Sleep(time.Second)
						if i == 10 && !inSource {
							runtime.Goexit()
						}
						return nil
					}, sweetspot.Fixed(limit))
					returned = true
				}()
				<-done
				if returned || !ended || g.now.Load() != 0 || g.total.Load() > 20 {
					t.Errorf("returned: %v, sequence ended: %v, in flight %d of %d", returned, ended, g.now.Load(), g.total.Load())
				}
			}
		}
	})
}

// TestForEachSeqTellsOfASwallowedPanic: a sequence must not hide that a callback
// panicked.
func TestForEachSeqTellsOfASwallowedPanic(t *testing.T) {
	value := refuse(func() {
		sweetspot.ForEachSeq(t.Context(), func(yield func(int) bool) {
			defer func() { recover() }()
			yield(1)
		}, func(context.Context, int) error { panic(errBad) })
	})
	if want := "the sequence recovered a panic"; !strings.Contains(fmt.Sprint(value), want) {
		t.Errorf("recovered %v, want %q", value, want)
	}
}

// TestSeqCallsFindGoroutinesForWaiting: without any option, values that wait get
// more goroutines than there are CPUs.
func TestSeqCallsFindGoroutinesForWaiting(t *testing.T) {
	for _, c := range seqCalls {
		t.Run(c.name, func(t *testing.T) {
			var g gauge
			n := 500 * runtime.GOMAXPROCS(0)
			if err := c.run(t.Context(), slices.Values(numbers(n)), func(context.Context, int) error {
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

func TestForEachSeqRefusesMisuse(t *testing.T) {
	ctx := context.Background()
	seq := slices.Values([]int{1})
	f := func(context.Context, int) error { return nil }
	for want, call := range map[string]func(){
		"sweetspot: ForEachSeq: the sequence is nil":  func() { sweetspot.ForEachSeq(ctx, nil, f) },
		"sweetspot: ForEachSeq: the function is nil":  func() { sweetspot.ForEachSeq(ctx, seq, nil) },
		"sweetspot: ForEachSeq: option 1 of 1 is nil": func() { sweetspot.ForEachSeq(ctx, seq, f, nil) },
	} {
		if got := fmt.Sprint(refuse(call)); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// TestSequencesMustNotGoOn: where one swallows a panic and gives more values, or gives
// one after its end, the call must not look as if all was well.
func TestSequencesMustNotGoOn(t *testing.T) {
	calls := map[string]func(iter.Seq[int], func(int), sweetspot.MapOption) error{
		"ForEachSeq": func(seq iter.Seq[int], f func(int), opt sweetspot.MapOption) error {
			return sweetspot.ForEachSeq(t.Context(), seq, func(_ context.Context, i int) error { f(i); return nil }, opt)
		},
		"MapSeq": func(seq iter.Seq[int], f func(int), opt sweetspot.MapOption) (err error) {
			for _, err = range sweetspot.MapSeq(t.Context(), seq, func(_ context.Context, i int) (int, error) { f(i); return i, nil }, opt) {
			}
			return err
		},
	}
	for name, call := range calls {
		for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			for _, bad := range []int{0, 1, 5, 20, 99} {
				value := refuse(func() {
					call(func(yield func(int) bool) {
						for i := range 100 {
							refuse(func() { yield(i) })
						}
					}, func(i int) {
						if i == bad {
							panic(errBad)
						}
					}, opt)
				})
				if _, ok := value.(*sweetspot.PanicError); !ok {
					t.Errorf("%s, %T: item %d panics, and the call with %v", name, opt, bad, value)
				}
			}
		}
		var late func(int) bool
		n := 0
		err := call(func(yield func(int) bool) { late = yield; yield(1) }, func(int) { n++ }, sweetspot.Fixed(1))
		value := refuse(func() { late(2) })
		if want := "after it had returned"; err != nil || n != 1 || !strings.Contains(fmt.Sprint(value), want) {
			t.Errorf("%s: %v after %d items; a late value panics with %v, want %q", name, err, n, value, want)
		}
	}
}
