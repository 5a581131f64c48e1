package sweetspot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// slowly returns a function that takes that long and gives its argument.
func slowly(d time.Duration) func(context.Context, int) (int, error) {
	return func(_ context.Context, i int) (int, error) {
		if d > 0 {
			time.Sleep(d)
		}
		return i, nil
	}
}

// TestMapSeqStopsWhereTheLoopIsLeft: by break, return, panic and Goexit, alone
// and beside others.
func TestMapSeqStopsWhereTheLoopIsLeft(t *testing.T) {
	for _, cost := range []time.Duration{0, time.Millisecond} {
		for _, at := range []int{0, 1, 20, 700} {
			synctest.Test(t, func(t *testing.T) {
				sweetspot.Forget() // else the next run begins with ten thousands of goroutines
				for _, opt := range []sweetspot.MapSeqOption{sweetspot.Fixed(1), sweetspot.Fixed(4), setTo(sweetspot.New(), 3), sweetspot.Unordered()} {
					for _, how := range []string{"break", "return", "panic", "PanicError", "Goexit"} {
						ended, cleaned, came := false, false, 0
						own := &sweetspot.PanicError{Value: errBad}
						var g gauge
						var value any
						done := make(chan bool)
						go func() {
							defer close(done)
							value = refuse(func() {
								for range sweetspot.MapSeq(t.Context(), count(100_000, &ended), func(ctx context.Context, i int) (int, error) {
									g.enter()
									defer g.leave()
									return slowly(cost)(ctx, i)
								}, opt) {
									if came == at {
										defer func() { cleaned = true }()
										switch how {
										case "break":
										case "return":
											return
										case "panic":
											panic(errBad)
										case "PanicError":
											panic(own)
										case "Goexit":
											runtime.Goexit()
										}
										break
									}
									came++
								}
							})
						}()
						<-done
						wrong := value != nil
						switch how {
						case "panic": // with the place where it happened
							p, ok := value.(*sweetspot.PanicError)
							wrong = !ok || p.Value != errBad || !bytes.Contains(p.Stack, []byte("mapseq_test.go"))
						case "PanicError":
							wrong = value != own
						}
						if wrong || !ended || !cleaned || came != at || g.now.Load() != 0 {
							t.Errorf("%T, %s at %d: recovered %v, sequence ended: %v, body's defer ran: %v, %d results came, %d run still", opt, how, at, value, ended, cleaned, came, g.now.Load())
						}
						if l, ok := opt.(*sweetspot.Limiter); ok {
							isFree(t, l)
						}
					}
				}
			})
		}
	}
}

// TestMapSeqYieldsTheFirstErrorInItsPlace: after all results before it, also when
// a later one failed earlier.
func TestMapSeqYieldsTheFirstErrorInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []int{1, 2, 7} {
			var got []int
			var last error
			for v, err := range sweetspot.MapSeq(t.Context(), slices.Values(numbers(1000)), func(_ context.Context, i int) (int, error) {
				switch i {
				case 40:
					time.Sleep(10 * time.Second)
					return 1, errBad
				case 42:
					return 2, errors.New("worse")
				}
				time.Sleep(time.Second)
				return i, nil
			}, sweetspot.Fixed(limit)) {
				if last != nil {
					t.Error("a pair after the error")
				}
				if last = err; err == nil {
					got = append(got, v)
				} else if v != 0 {
					t.Errorf("%d beside the error", v)
				}
			}
			var ie *sweetspot.ItemError
			if !errors.As(last, &ie) || ie.Index != 40 || ie.Err != errBad || !slices.Equal(got, numbers(40)) {
				t.Errorf("limit %d: %v after %d results", limit, last, len(got))
			}
		}
	})
}

// TestMapSeqHandsOverWhileTheSourceBlocks: the source waits until the body has
// got all results so far.
func TestMapSeqHandsOverWhileTheSourceBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, cost := range []time.Duration{0, 20 * time.Microsecond, time.Millisecond} {
			for _, opts := range [][]sweetspot.MapSeqOption{nil, {sweetspot.Fixed(3)}, {setTo(sweetspot.New(), 1)}, {setTo(sweetspot.New(), 4), sweetspot.Unordered()}} {
				var got atomic.Int64
				seen := make(chan bool, 1)
				seq := func(yield func(int) bool) {
					for i := range 1000 {
						if !yield(i) {
							return
						}
						if i%50 == 49 {
							for got.Load() <= int64(i) {
								<-seen
							}
						}
					}
				}
				for _, err := range sweetspot.MapSeq(t.Context(), seq, slowly(cost), opts...) {
					if err != nil {
						t.Fatal(err)
					}
					got.Add(1)
					select {
					case seen <- true:
					default:
					}
				}
				if got.Load() != 1000 {
					t.Errorf("%d results", got.Load())
				}
			}
		}
	})
}

// TestMapSeqStaysInItsWindow: one slow value, or a slow body, holds up the
// source, however much there is to come.
func TestMapSeqStaysInItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 4
		for _, slow := range []string{"value", "body"} {
			var taken, most atomic.Int64
			came := int64(0)
			seq := func(yield func(int) bool) {
				for i := range 3000 {
					taken.Add(1)
					if !yield(i) {
						return
					}
				}
			}
			for v, err := range sweetspot.MapSeq(t.Context(), seq, func(_ context.Context, i int) (int, error) {
				if i == 1000 && slow == "value" {
					time.Sleep(time.Hour)
				}
				time.Sleep(time.Millisecond)
				return i, nil
			}, sweetspot.Fixed(limit)) {
				if int64(v) != came || err != nil {
					t.Fatal(v, err)
				}
				most.Store(max(most.Load(), taken.Load()-came))
				came++
				if v > 100 && slow == "body" {
					time.Sleep(time.Second)
				}
			}
			if got := most.Load(); got > 5*limit+1 || came != 3000 {
				t.Errorf("slow %s: %d values between source and body, of %d", slow, got, came)
			}
		}
	})
}

// TestMapSeqLeavesAtEachValue: while it is alone, and where the chunks end.
func TestMapSeqLeavesAtEachValue(t *testing.T) {
	for at := range 80 {
		ended, taken := false, 0
		var got []int
		for v, err := range sweetspot.MapSeq(t.Context(), count(1000, &ended), func(_ context.Context, i int) (int, error) { taken++; return i, nil }, sweetspot.Fixed(1)) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, v); v == at {
				break
			}
		}
		if !slices.Equal(got, numbers(at+1)) || taken != at+1 || !ended {
			t.Fatalf("left at %d: %v, of %d taken; the sequence ended: %v", at, got, taken, ended)
		}
	}
}

// TestMapSeqPassesOnWhatTheSourceSwallows: a sequence cannot hide that the body
// panicked, or that a callback did.
func TestMapSeqPassesOnWhatTheSourceSwallows(t *testing.T) {
	swallow := func(yield func(int) bool) {
		defer func() { recover() }()
		for i := range 5 {
			yield(i)
		}
	}
	if value := refuse(func() {
		for range sweetspot.MapSeq(t.Context(), swallow, slowly(0)) {
			panic(errBad)
		}
	}); value == nil {
		t.Error("the panic of the body is lost")
	}
	if value := refuse(func() {
		for range sweetspot.MapSeq(t.Context(), swallow, func(context.Context, int) (int, error) { panic(errBad) }) {
			t.Error("a result")
		}
	}); !strings.Contains(fmt.Sprint(value), "the sequence recovered a panic") {
		t.Errorf("recovered %v", value)
	}
}

func TestMapSeqOnALockedThread(t *testing.T) {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		n := 0
		for v, err := range sweetspot.MapSeq(t.Context(), slices.Values(numbers(20)), slowly(time.Millisecond), sweetspot.Fixed(4)) {
			if v != n || err != nil {
				done <- fmt.Errorf("result %d is %d, %v", n, v, err)
				return
			}
			n++
		}
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestMapSeqCountsAChunkOnce: where the caller does everything itself, the last chunk before
// a cancelled ctx is counted once, and its permit is given back once.
func TestMapSeqCountsAChunkOnce(t *testing.T) {
	for name, others := range map[string]int{"cancelled at a value": 0, "cancelled while it waits for a permit": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				l := setTo(sweetspot.New(), 1)
				ctx, cancel := context.WithCancelCause(t.Context())
				var g gauge
				work := func(d time.Duration) {
					g.enter()
					time.Sleep(d)
					g.leave()
				}
				for i := range others {
					go func() {
						time.Sleep(time.Duration(i+1) * time.Millisecond)
						if value := refuse(func() {
							l.Do(context.Background(), func(context.Context) error { work(time.Second); return nil })
						}); value != nil {
							t.Error(value)
						}
					}()
				}
				go func() { time.Sleep(103 * time.Millisecond); cancel(errBad) }()
				var last error
				for _, err := range sweetspot.MapSeq(ctx, slices.Values(numbers(1000)), func(_ context.Context, i int) (int, error) {
					work(5 * time.Millisecond)
					return i, nil
				}, l) {
					last = err
				}
				pause(5 * time.Second)
				if most, total, got := g.most.Load(), g.total.Load(), l.Stats().Completed; last != errBad || most != 1 || int64(got) != total {
					t.Errorf("%v; %d at a time, want 1; %d completed, want %d", last, most, got, total)
				}
				isFree(t, l)
			})
		})
	}
}

// TestMapSeqRangesAnew: each range is a call of its own.
func TestMapSeqRangesAnew(t *testing.T) {
	runs := 0
	seq := sweetspot.MapSeq(t.Context(), func(yield func(int) bool) {
		runs++
		for i := 0; i < 3 && yield(i); i++ {
		}
	}, slowly(0))
	for range 3 {
		var got []int
		for v := range seq {
			got = append(got, v)
		}
		if !slices.Equal(got, numbers(3)) {
			t.Error(got)
		}
	}
	if runs != 3 {
		t.Error(runs)
	}
}

// TestMapSeqChains: stages share a Limiter of 1, and the body uses it as well.
func TestMapSeqChains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []int{1, 3} {
			l := setTo(sweetspot.New(), limit)
			ctx := t.Context()
			first := sweetspot.MapSeq(ctx, slices.Values(numbers(50)), slowly(time.Millisecond), l)
			var values iter.Seq[int] = func(yield func(int) bool) {
				for v, err := range first {
					if err != nil {
						t.Error(err)
					}
					if !yield(v) {
						return
					}
				}
			}
			n := 0
			for v, err := range sweetspot.MapSeq(ctx, values, slowly(time.Millisecond), l) {
				if v != n || err != nil {
					t.Fatal(v, err)
				}
				n++
				if err := l.Do(ctx, func(context.Context) error { time.Sleep(time.Millisecond); return nil }); err != nil {
					t.Error(err)
				}
			}
			if n != 50 {
				t.Error(n)
			}
			isFree(t, l)
		}
	})
}
