package sweetspot_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// TestWorkersMayStopEarly: what a body leaves is done by the others, and each
// element is given out once.
func TestWorkersMayStopEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		visits := make(once, n)
		var bodies atomic.Int32
		err := sweetspot.Workers(t.Context(), numbers(n), func(_ context.Context, items iter.Seq2[int, int]) error {
			quits := bodies.Add(1) == 2
			for i := range items {
				visits[i].Add(1)
				time.Sleep(time.Millisecond)
				if quits {
					return nil
				}
			}
			return nil
		}, sweetspot.Fixed(3))
		if err != nil {
			t.Fatal(err)
		}
		visits.check(t, 1)
		if got := bodies.Load(); got < 3 {
			t.Errorf("%d bodies", got)
		}
	})
}

// TestWorkersLoseNothing: one body leaves its range, and the ranges of all others have ended
// by then. What it leaves is done.
func TestWorkersLoseNothing(t *testing.T) {
	for name, test := range map[string]struct {
		quits     int32 // the body that leaves its range after one element, of a second
		again     bool  // and then ranges once more
		meanwhile func(*sweetspot.Limiter)
	}{
		"the others have run out": {quits: 2},
		"the others are surplus": {quits: 1, meanwhile: func(l *sweetspot.Limiter) {
			take(t, l, 1)
			time.Sleep(2 * time.Millisecond)
			l.SetLimit(1)
			time.Sleep(2 * time.Second)
			l.Release()
		}},
		"it is surplus itself": {quits: 1, again: true, meanwhile: func(l *sweetspot.Limiter) {
			time.Sleep(500 * time.Millisecond)
			take(t, l, 1) // the others have run out
			l.SetLimit(1)
			time.Sleep(1500 * time.Millisecond)
			l.Release()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sweetspot.Forget() // helpers come when the first look has seen long elements
				var how sweetspot.ChunkOption = sweetspot.Fixed(2)
				var meanwhile sync.WaitGroup
				if test.meanwhile != nil {
					l := setTo(sweetspot.New(), 3)
					meanwhile.Go(func() { test.meanwhile(l) })
					how = l
				}
				visits, bodies := make(once, 20), atomic.Int32{}
				err := sweetspot.Workers(t.Context(), numbers(20), func(_ context.Context, items iter.Seq2[int, int]) error {
					quits := bodies.Add(1) == test.quits
					work := func() {
						for i := range items {
							visits[i].Add(1)
							if quits {
								time.Sleep(time.Second)
								return
							}
							time.Sleep(time.Millisecond)
						}
					}
					work()
					if quits && test.again {
						quits = false
						work()
					}
					return nil
				}, how, sweetspot.MinChunk(10))
				meanwhile.Wait()
				if err != nil {
					t.Fatal(err)
				}
				visits.check(t, 1)
			})
		})
	}
}

// TestWorkersSurplusRangesAgain: a body whose range has ended because the limit fell gets
// nothing when it ranges again, and touches no permit: it has none.
func TestWorkersSurplusRangesAgain(t *testing.T) {
	for _, others := range []int{0, 1} { // permits held outside the call
		t.Run(fmt.Sprintf("others=%d", others), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sweetspot.Forget()
				const n = 60
				l := setTo(sweetspot.New(), 2+others)
				take(t, l, others)
				go func() {
					time.Sleep(100 * time.Millisecond)
					l.SetLimit(1)
					time.Sleep(5 * time.Second)
					for range others {
						l.Unit().End(sweetspot.Ignored, 1)
					}
				}()
				visits, bodies := make(once, n), atomic.Int32{}
				err := sweetspot.Workers(t.Context(), numbers(n), func(ctx context.Context, items iter.Seq2[int, int]) error {
					if !l.Holds(ctx) {
						t.Error("no permit when the body begins")
					}
					body := bodies.Add(1)
					for i := range items {
						visits[i].Add(1)
						if body == 1 { // the caller, which is at its first element when the limit falls
							time.Sleep(time.Second)
						} else {
							time.Sleep(10 * time.Millisecond)
						}
					}
					if body != 2 {
						return nil
					}
					if l.Holds(ctx) {
						t.Error("its ctx carries a permit that was given back")
					}
					before := l.Stats()
					for i := range items {
						visits[i].Add(1)
						t.Errorf("element %d without a permit", i)
					}
					if after := l.Stats(); after.InFlight != before.InFlight || after.Completed != before.Completed {
						t.Errorf("in flight %d, completed %d; %d and %d before the second range",
							after.InFlight, after.Completed, before.InFlight, before.Completed)
					}
					return nil
				}, l)
				if err != nil {
					t.Error(err)
				}
				if got := l.Stats().Completed; got != n {
					t.Errorf("%d completed, want %d", got, n)
				}
				visits.check(t, 1)
				pause(10 * time.Second)
				isFree(t, l)
			})
		})
	}
}

// TestWorkersSearch: if all bodies stop, so does the call.
func TestWorkersSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var found atomic.Bool
		var looked atomic.Int32
		err := sweetspot.Workers(t.Context(), numbers(100_000), func(_ context.Context, items iter.Seq2[int, int]) error {
			for i := range items {
				if found.Load() {
					return nil
				}
				looked.Add(1)
				time.Sleep(time.Millisecond)
				if i == 17 {
					found.Store(true)
				}
			}
			return nil
		}, sweetspot.Fixed(4))
		if err != nil || !found.Load() || looked.Load() > 1000 {
			t.Errorf("%v, found %v after %d", err, found.Load(), looked.Load())
		}
	})
}

// TestWorkersThatDoNotRange: a body may ignore its items.
func TestWorkersThatDoNotRange(t *testing.T) {
	calls := 0
	err := sweetspot.Workers(t.Context(), numbers(1000), func(context.Context, iter.Seq2[int, int]) error {
		calls++
		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// TestWorkersInVain: bodies that take nothing are not called again and again while the
// others are at long elements.
func TestWorkersInVain(t *testing.T) {
	for name, opts := range map[string]func() []sweetspot.ChunkOption{
		"automatic": func() []sweetspot.ChunkOption { return nil },
		"Fixed(4)":  func() []sweetspot.ChunkOption { return []sweetspot.ChunkOption{sweetspot.Fixed(4)} },
		"a Limiter": func() []sweetspot.ChunkOption { return []sweetspot.ChunkOption{setTo(sweetspot.New(), 4)} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 10
				bodies, over := atomic.Int32{}, make(chan struct{})
				err := sweetspot.Workers(t.Context(), numbers(n), func(_ context.Context, items iter.Seq2[int, int]) error {
					switch i := bodies.Add(1); {
					case i == 1:
						defer close(over)
						for range items {
							time.Sleep(time.Second)
						}
					case i > 10_000:
						<-over
					}
					return nil
				}, opts()...)
				if got := bodies.Load(); err != nil || got > 1000 {
					t.Errorf("%v after %d bodies for %d elements", err, got, n)
				}
				t.Log(bodies.Load(), "bodies")
			})
		})
	}
}

// TestWorkersGiveBack: a body that stops in the middle of a chunk of quick
// elements loses none of those behind.
func TestWorkersGiveBack(t *testing.T) {
	const n = 50_000
	visits := make(once, n)
	for done := 0; done < n; {
		// Alone, each call does some and stops; the rest of its chunk must be
		// what a second range of the same body gets.
		err := sweetspot.Workers(t.Context(), numbers(n), func(_ context.Context, items iter.Seq2[int, int]) error {
			for done < n {
				k := 0
				for i := range items {
					visits[i].Add(1)
					done++
					if k++; k == 777 {
						break
					}
				}
			}
			return nil
		}, sweetspot.Fixed(1))
		if err != nil {
			t.Fatal(err)
		}
	}
	visits.check(t, 1)
}

// A body that recovers a panic of its loop, and ranges again, gets the rest of the chunk.
func TestWorkersThatRecover(t *testing.T) {
	visits := make(once, 100)
	err := sweetspot.Workers(t.Context(), numbers(100), func(_ context.Context, items iter.Seq2[int, int]) error {
		for again := true; again; {
			func() {
				defer func() { again = recover() != nil }()
				for i := range items {
					visits[i].Add(1)
					if i == 3 {
						panic(errBad)
					}
				}
			}()
		}
		return nil
	}, sweetspot.Fixed(1), sweetspot.MinChunk(10))
	if err != nil {
		t.Fatal(err)
	}
	visits.check(t, 1)
}

// TestWorkersTwoRangesAtOnce: the ranges of a body share its chunk, so that each element is
// given out once also where several are open, however they end.
func TestWorkersTwoRangesAtOnce(t *testing.T) {
	type items = iter.Seq2[int, int]
	for name, body := range map[string]func(mine items, visit func(int)){
		"a range within a range, which is left": func(mine items, visit func(int)) {
			for i := range mine {
				visit(i)
				for i := range mine {
					visit(i)
				}
				break
			}
		},
		"a range within a range is left": func(mine items, visit func(int)) {
			for i := range mine {
				visit(i)
				for i := range mine {
					if visit(i); i%3 == 0 {
						break
					}
				}
			}
		},
		"stopped after another one has ended": func(mine items, visit func(int)) {
			next, stop := iter.Pull2(mine)
			i, _, _ := next()
			visit(i)
			for i := range mine {
				visit(i)
			}
			stop()
		},
		"in turn": func(mine items, visit func(int)) {
			next, stop := iter.Pull2(mine)
			defer stop()
			for i := range mine {
				visit(i)
				if i, _, ok := next(); ok {
					visit(i)
				}
			}
		},
		"in turn, stopped in between": func(mine items, visit func(int)) {
			for more := true; more; {
				next, stop := iter.Pull2(mine)
				more = false
				for i := range mine {
					more = true
					visit(i)
					if i, _, ok := next(); ok {
						visit(i)
					}
					if i%5 == 0 {
						break
					}
				}
				stop()
			}
		},
	} {
		for _, fixed := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/fixed=%d", name, fixed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sweetspot.Forget()
					visits := make(once, 100)
					err := sweetspot.Workers(t.Context(), numbers(100), func(_ context.Context, mine items) error {
						visit := func(i int) {
							if visits[i].Add(1) > 1 {
								t.Fatalf("element %d twice", i) // some would go on for ever; Workers passes it on
							}
							time.Sleep(time.Millisecond)
						}
						body(mine, visit)
						for i := range mine { // what the others left, if anything
							visit(i)
						}
						return nil
					}, sweetspot.Fixed(fixed), sweetspot.MinChunk(8))
					if err != nil {
						t.Fatal(err)
					}
					visits.check(t, 1)
				})
			})
		}
	}
}

// TestWorkersBeginNothingAfterTheEnd: a goroutine that comes after ctx has ended begins no body,
// whose setup the call would wait for.
func TestWorkersBeginNothingAfterTheEnd(t *testing.T) {
	sweetspot.Forget() // helpers are to come while the first item is under way
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var bodies atomic.Int32
		err := sweetspot.Workers(ctx, numbers(1000), func(_ context.Context, items iter.Seq2[int, int]) error {
			if bodies.Add(1) > 1 {
				cancel(errBad)
				return nil
			}
			for range items {
				time.Sleep(time.Second)
			}
			return nil
		}, sweetspot.Fixed(64))
		if got := bodies.Load(); err != errBad || got > 64 {
			t.Errorf("%v after %d bodies", err, got)
		}
	})
}
