package sweetspot_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/sweetspot-go/sweetspot"
)

// TestKeptIterator has the body of a call that has ended keep its iterator, and use it
// while another call runs, which may reuse the state of the first.
func TestKeptIterator(t *testing.T) {
	for _, whole := range []bool{false, true} {
		var kept []func() (more bool)
		keep := func(mine iter.Seq2[int, int]) {
			next, stop := iter.Pull2(mine)
			for _, _, ok := next(); ok && whole; {
				_, _, ok = next()
			}
			kept = append(kept, func() (more bool) {
				for range mine { // before stop: the rest of the chunk is lost
					return true
				}
				_, _, more = next()
				stop()
				for range mine {
					return true
				}
				return more
			})
		}
		err := sweetspot.Workers(t.Context(), numbers(9), func(_ context.Context, mine iter.Seq2[int, int]) error {
			keep(mine)
			return nil
		}, sweetspot.Fixed(1), sweetspot.MinChunk(3))
		if err != nil {
			t.Fatal(err)
		}
		err = sweetspot.WorkersRange(t.Context(), 9, func(_ context.Context, mine iter.Seq2[int, int]) error {
			keep(mine)
			return nil
		}, sweetspot.Fixed(1))
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		err = sweetspot.ForEach(t.Context(), numbers(9), func(context.Context, int) error {
			for i, more := range kept {
				if more() {
					t.Errorf("iterator %d gave items when its call had ended; used up: %v", i, whole)
				}
			}
			done++
			return nil
		}, sweetspot.Fixed(1))
		if err != nil || done != 9 {
			t.Errorf("%v; %d items done, want 9; used up: %v", err, done, whole)
		}
	}
}

// TestKeptRange has the body of a worker that has left keep its range. It gives nothing
// any more, and touches no permit, whether the worker has come back for another body or
// has none.
func TestKeptRange(t *testing.T) {
	type body = func(context.Context, iter.Seq2[int, int]) error
	for name, call := range map[string]func(context.Context, body, ...sweetspot.ChunkOption) error{
		"Workers": func(ctx context.Context, b body, opts ...sweetspot.ChunkOption) error {
			return sweetspot.Workers(ctx, numbers(100), b, opts...)
		},
		"WorkersRange": func(ctx context.Context, b body, opts ...sweetspot.ChunkOption) error {
			return sweetspot.WorkersRange(ctx, 100, b, opts...)
		},
	} {
		for _, back := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/back=%t", name, back), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := setTo(sweetspot.New(), 3)
					l.TryAcquire() // somebody else's
					var bodies atomic.Int32
					kept, over := make(chan iter.Seq2[int, int], 1), make(chan struct{})
					err := call(t.Context(), func(_ context.Context, mine iter.Seq2[int, int]) error {
						switch bodies.Add(1) {
						case 1: // the caller
							defer close(over)
							for range mine {
								old := <-kept
								synctest.Wait()
								l.SetLimit(1)
								before := l.Stats()
								for i := range old {
									t.Errorf("the range of a body that had returned gave %d", i)
									break
								}
								if after := l.Stats(); after.InFlight != before.InFlight || after.Completed != before.Completed {
									t.Errorf("in flight %d, completed %d; %d and %d before the range was used",
										after.InFlight, after.Completed, before.InFlight, before.Completed)
								}
								break
							}
						case 2:
							for range mine {
								time.Sleep(time.Millisecond)
								break
							}
							if !back {
								l.SetLimit(1) // nobody comes in its place
							}
							kept <- mine
						default:
							<-over
						}
						return nil
					}, l, sweetspot.MinChunk(1))
					if err != nil {
						t.Error(err)
					}
					if n := l.Stats().InFlight; n != 1 {
						t.Fatalf("%d in flight after the call, want the permit of somebody else", n)
					}
					l.Release()
				})
			})
		}
	}
}

// TestReusedCallForgets: the state of a call that waits for the next one keeps nothing of the last.
func TestReusedCallForgets(t *testing.T) {
	for name, call := range map[string]func(f func()){
		"ForEach": func(f func()) {
			sweetspot.ForEach(t.Context(), numbers(1), func(context.Context, int) error { f(); return nil }, sweetspot.Fixed(1))
		},
		"ForEachSeq": func(f func()) {
			sweetspot.ForEachSeq(t.Context(), slices.Values(numbers(1)), func(context.Context, int) error { f(); return nil }, sweetspot.Fixed(1))
		},
		"Walk": func(f func()) {
			sweetspot.Walk(t.Context(), slices.Values(numbers(1)), func(context.Context, int, func(int)) error { f(); return nil }, sweetspot.Fixed(1))
		},
	} {
		// Fixed: a timer that was stopped may keep a call for some time.
		var memory weak.Pointer[[1 << 16]byte]
		func() {
			large := new([1 << 16]byte)
			memory = weak.Make(large)
			call(func() { large[0]++ })
		}()
		runtime.GC()
		if memory.Value() != nil {
			t.Errorf("%s: what the callback had is still there after the call", name)
		}
	}
}
