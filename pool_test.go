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
	"weak"

	"github.com/sweetspot-go/sweetspot"
)

// each makes a worker's function of one for each value.
func each[T any](f func(ctx context.Context, v T)) func(context.Context, iter.Seq[T]) error {
	return func(ctx context.Context, tasks iter.Seq[T]) error {
		for v := range tasks {
			f(ctx, v)
		}
		return nil
	}
}

// TestPoolUsesWhatIsAllowed: values that wait fill the number to the last, the
// queue holds one for each, and a submitter waits for room.
func TestPoolUsesWhatIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []int{1, 2, 5} {
			for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(limit), setTo(sweetspot.New(), limit)} {
				var g gauge
				p := sweetspot.NewPool(t.Context(), each(func(context.Context, int) {
					g.enter()
					defer g.leave()
					time.Sleep(time.Second)
				}), opt)
				began := time.Now()
				for i := range 10 * limit {
					if err := p.Submit(t.Context(), i); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(began); took < 7*time.Second {
					t.Errorf("submitting took %v: too much lies in the queue", took)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != 10*time.Second {
					t.Errorf("%T of %d: took %v", opt, limit, took)
				}
				if got := int(g.most.Load()); got != limit || g.total.Load() != int64(10*limit) {
					t.Errorf("%T: at most %d in flight, want %d; %d in all", opt, got, limit, g.total.Load())
				}
				if l, ok := opt.(*sweetspot.Limiter); ok {
					if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Completed != int64(10*limit) {
						t.Errorf("afterwards the Limiter has %+v", s)
					}
				}
			}
		}
	})
}

// TestPoolKeptRange: a body that returns with its range under way, by [iter.Pull], leaves
// what it was not given to others. Its range gives nothing any more, and ends at once.
func TestPoolKeptRange(t *testing.T) {
	for name, first := range map[string]func(next func() (int, bool)) error{
		"under way":  func(next func() (int, bool)) error { next(); return nil },
		"not begun":  func(func() (int, bool)) error { return errBad },
		"with error": func(next func() (int, bool)) error { next(); return errBad },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 100
				var given atomic.Int32
				var bodies int
				kept := make(chan func() (int, bool), 1)
				p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
					if bodies++; bodies == 1 {
						next, stop := iter.Pull(tasks)
						t.Cleanup(stop)
						kept <- next
						return first(func() (int, bool) { given.Add(1); return next() })
					}
					for range tasks {
						given.Add(1)
					}
					return nil
				}, sweetspot.Fixed(1), sweetspot.MinChunk(8))
				for i := range n {
					if p.Submit(t.Context(), i) != nil {
						break
					}
				}
				synctest.Wait()
				next := <-kept
				if v, ok := next(); ok {
					t.Errorf("the range of a worker that had returned gave %d", v)
				}
				err := p.Close()
				if got := given.Load(); err == nil && got != n || err != nil && err != errBad {
					t.Errorf("%v; %d values given, want %d", err, got, n)
				}
			})
		})
	}
}

// TestPoolLeftRange: a body that returns while another goroutine waits in its range, for values or for a permit, leaves
// what comes to others. The range ends.
func TestPoolLeftRange(t *testing.T) {
	for name, c := range map[string]struct{ limited, permit bool }{
		"for values":          {false, false},
		"for values, limited": {true, false},
		"for a permit":        {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 1)
				var opt sweetspot.ChunkOption = sweetspot.Fixed(1)
				if c.limited {
					opt = l
				}
				var bodies, left, given atomic.Int32
				leave, ended := make(chan bool), make(chan bool)
				p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
					if bodies.Add(1) > 1 {
						for range tasks {
							given.Add(1)
						}
						return nil
					}
					go func() {
						defer close(ended)
						for range tasks {
							left.Add(1)
						}
					}()
					<-leave
					return nil
				}, opt)
				p.Submit(t.Context(), 0)
				synctest.Wait()
				if c.permit {
					l.TryAcquire()
					p.Submit(t.Context(), 1)
					synctest.Wait()
				}
				close(leave)
				synctest.Wait()
				if c.permit {
					l.Release()
				}
				for range 20 {
					p.Submit(t.Context(), 2)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				<-ended
				if all := left.Load() + given.Load(); left.Load() != 1 || all != 21 && !c.permit || all != 22 && c.permit {
					t.Errorf("the range that was left gave %d values, want 1; %d in all", left.Load(), all)
				}
				isFree(t, l)
			})
		})
	}
}

// TestPoolLeftRanges: bodies return at any time while another goroutine takes their values, and each value is given once.
func TestPoolLeftRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 1), setTo(sweetspot.New(), 3)} {
			visits := make(once, 2000)
			var takers sync.WaitGroup
			p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
				leave := make(chan bool, 1)
				takers.Go(func() {
					defer close(leave)
					for v := range tasks {
						visits[v].Add(1)
						if v%3 == 0 {
							select {
							case leave <- true:
							default:
							}
						}
					}
				})
				<-leave
				return nil
			}, opt)
			for v := range visits {
				if err := p.Submit(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				if v%5 == 0 {
					runtime.Gosched()
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			takers.Wait()
			visits.check(t, 1)
			if l, ok := opt.(*sweetspot.Limiter); ok {
				isFree(t, l)
			}
		}
	})
}

// TestPoolParksWithTheLimit: workers park and unpark, in the same calls of the
// function.
func TestPoolParksWithTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		var g gauge
		var began atomic.Int32
		p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
			began.Add(1)
			for range tasks {
				g.enter()
				time.Sleep(time.Second)
				g.leave()
			}
			return nil
		}, l)
		go func() {
			for i := range 200 {
				p.Submit(t.Context(), i)
			}
		}()
		for _, n := range []int{2, 6, 1, 4, 6, 2} {
			l.SetLimit(n)
			pause(5*time.Second + 100*time.Millisecond)
			if got := int(g.now.Load()); got != n {
				t.Errorf("%d in flight at limit %d", got, n)
			}
		}
		pause(200 * time.Second)
		if got := g.total.Load(); got != 200 {
			t.Errorf("%d values done", got)
		}
		if got := began.Load(); got > 7 {
			t.Errorf("%d workers for a limit of 6", got)
		}
		if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("a pool with nothing to do holds permits: %+v", s)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestPoolContextCarriesThePermit: the ctx of a worker does so only while the worker holds one.
func TestPoolContextCarriesThePermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		var ctx context.Context
		var held []bool
		p := sweetspot.NewPool(t.Context(), func(inner context.Context, values iter.Seq[int]) error {
			ctx = inner
			held = append(held, l.Holds(ctx))
			for range values {
				held = append(held, l.Holds(ctx))
			}
			held = append(held, l.Holds(ctx))
			return nil
		}, l)
		for v := range 2 {
			if err := p.Submit(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if l.Holds(ctx) {
				t.Error("a parked worker has one")
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if want := []bool{false, true, true, false}; !slices.Equal(held, want) {
			t.Errorf("setup, two values, cleanup: %v, want %v", held, want)
		}
		isFree(t, l)
	})
}

// TestPoolGoesOnBesideASlowStart: while one worker is still in its setup, those that are
// parked do what comes in.
func TestPoolGoesOnBesideASlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		var began, done atomic.Int32
		p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
			if began.Add(1) == 2 {
				time.Sleep(time.Hour)
			}
			for range tasks {
				time.Sleep(time.Second)
				done.Add(1)
			}
			return nil
		}, l)
		p.Submit(t.Context(), 1)
		synctest.Wait()
		p.Submit(t.Context(), 2) // calls a second worker, but the first does it
		pause(3 * time.Second)
		p.Submit(t.Context(), 3)
		pause(2 * time.Second)
		if got := done.Load(); got != 3 {
			t.Errorf("%d values done beside the setup, want 3", got)
		}
		for range 3 { // one setup at a time
			p.Submit(t.Context(), 4)
			p.Submit(t.Context(), 5)
			pause(3 * time.Second)
		}
		if got := done.Load(); got != 9 || began.Load() != 2 {
			t.Errorf("%d values done by %d workers, want 9 by 2", got, began.Load())
		}
		pause(time.Hour)
		p.Submit(t.Context(), 6)
		p.Submit(t.Context(), 7)
		pause(1500 * time.Millisecond)
		if got := done.Load(); got != 11 {
			t.Errorf("%d values done after the setup, want 11", got)
		}
		if err := p.Close(); err != nil || began.Load() != 2 {
			t.Errorf("%v; %d workers", err, began.Load())
		}
		isFree(t, l)
	})
}

// TestPoolDoesNotLeaveValuesBehindOthers: a value that takes for ever holds up
// no other one, though values were so fast before that they went in batches.
func TestPoolDoesNotLeaveValuesBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			release := make(chan bool)
			var done atomic.Int32
			p := sweetspot.NewPool(t.Context(), each(func(_ context.Context, v int) {
				if v == 5000 {
					<-release
				}
				done.Add(1)
			}), opt)
			for i := range 10_000 {
				if err := p.Submit(t.Context(), i); err != nil {
					t.Fatal(err)
				}
			}
			pause(time.Second)
			if got := done.Load(); got != 9999 {
				t.Errorf("%d values done while one takes its time", got)
			}
			close(release)
			if err := p.Close(); err != nil || done.Load() != 10_000 {
				t.Error(err, done.Load())
			}
		}
	})
}

func TestPoolTakesValuesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 2)} {
			visits := make(once, 1000)
			p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
				n := 0
				for v := range tasks {
					visits[v].Add(1)
					if n++; n == 7 {
						break
					}
				}
				for v := range tasks { // and once more
					visits[v].Add(1)
					break
				}
				return nil
			}, opt)
			for i := range visits {
				if err := p.Submit(t.Context(), i); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			visits.check(t, 1)
		}
	})
}

// TestPoolRecovers: a worker that recovers from a panic within its range, and ranges again,
// gets the rest of the values.
func TestPoolRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(1), setTo(sweetspot.New(), 1)} {
			visits := make(once, 50)
			p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
				for ended := false; !ended; {
					func() {
						defer func() { recover() }()
						for v := range tasks {
							visits[v].Add(1)
							if v == 1 {
								time.Sleep(100 * time.Microsecond)
							}
							if v%20 == 5 {
								panic(errBad)
							}
						}
						ended = true
					}()
				}
				return nil
			}, opt, sweetspot.MinChunk(100))
			for v := range visits {
				p.Submit(t.Context(), v)
				if v < 2 {
					synctest.Wait() // 1 holds up the others, which are then claimed together
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			visits.check(t, 1)
		}
	})
}

func TestPoolFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sweetspot.NewPool(t.Context(), func(ctx context.Context, tasks iter.Seq[int]) error {
			for v := range tasks {
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					if context.Cause(ctx) != errBad {
						t.Error(context.Cause(ctx))
					}
				}
				if v == 3 {
					return errBad
				}
			}
			return nil
		}, sweetspot.Fixed(2))
		for i := range 100 {
			if err := p.Submit(t.Context(), i); err != nil {
				if !errors.Is(err, sweetspot.ErrClosed) || !errors.Is(err, errBad) || i < 5 {
					t.Errorf("Submit of %d: %v", i, err)
				}
				break
			}
		}
		if p.TrySubmit(1) {
			t.Error("a failed pool takes a value")
		}
		for range 2 {
			if err := p.Close(); err != errBad {
				t.Error(err)
			}
		}
		if err := p.Submit(t.Context(), 1); !errors.Is(err, errBad) {
			t.Error(err)
		}
		p = sweetspot.NewPool(t.Context(), func(context.Context, iter.Seq[int]) error { return nil })
		p.Submit(t.Context(), 1)
		if err := p.Close(); err == nil || !strings.Contains(err.Error(), "without taking a value") {
			t.Error(err)
		}
	})
}

func TestPoolCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Int32
		p := sweetspot.NewPool(t.Context(), each(func(context.Context, int) { time.Sleep(time.Second); done.Add(1) }), sweetspot.Fixed(1))
		var taken, refused atomic.Int32
		for i := range 10 {
			go func() {
				switch err := p.Submit(t.Context(), i); err {
				case nil:
					taken.Add(1)
				case sweetspot.ErrClosed:
					refused.Add(1)
				default:
					t.Error(err)
				}
			}()
		}
		pause(2500 * time.Millisecond)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if taken.Load()+refused.Load() != 10 || taken.Load() != done.Load() || refused.Load() == 0 {
			t.Errorf("%d taken, %d refused, %d done", taken.Load(), refused.Load(), done.Load())
		}
		if err := p.Submit(t.Context(), 1); err != sweetspot.ErrClosed {
			t.Error(err)
		}
		// never used
		if err := sweetspot.NewPool(t.Context(), each(func(context.Context, int) {})).Close(); err != nil {
			t.Error(err)
		}
		// nor closed: it has no goroutine, or the bubble could not end
		for _, opts := range [][]sweetspot.ChunkOption{nil, {sweetspot.Fixed(2)}, {setTo(sweetspot.New(), 2)}} {
			sweetspot.NewPool(context.Background(), each(func(context.Context, int) {}), opts...)
		}
	})
}

func TestPoolIsCancelled(t *testing.T) {
	errStop := errors.New("stop it")
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			ctx, cancel := context.WithCancelCause(t.Context())
			var g gauge
			p := sweetspot.NewPool(ctx, each(func(context.Context, int) {
				g.enter()
				defer g.leave()
				time.Sleep(time.Second)
			}), opt)
			time.AfterFunc(2500*time.Millisecond, func() { cancel(errStop) })
			// a submitter gives up
			short, stop := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, errBad)
			n := 0
			for ; p.Submit(short, n) == nil; n++ {
			}
			stop()
			if err := p.Submit(short, 1); err != errBad || n != 4 {
				t.Errorf("%v after %d values", err, n)
			}
			// the pool's context ends
			var err error
			for err == nil {
				err = p.Submit(t.Context(), 1)
			}
			if err != errStop || p.Close() != errStop || g.now.Load() != 0 || g.total.Load() != 6 {
				t.Errorf("%v; %d begun, %d still at work", err, g.total.Load(), g.now.Load())
			}
			// it had ended before
			p = sweetspot.NewPool(ctx, each(func(context.Context, int) { t.Error("called") }), opt)
			if err := p.Submit(t.Context(), 1); err != errStop || p.TrySubmit(1) || p.Close() != errStop {
				t.Error(err)
			}
			// without Close
			ctx, cancel = context.WithCancelCause(t.Context())
			p = sweetspot.NewPool(ctx, each(func(context.Context, int) {}), opt)
			p.Submit(t.Context(), 1)
			cancel(errStop)
		}
	})
}

// TestPoolIsCancelledAtOnce: once the context of a pool at rest has ended, its methods say so at
// once, even if no other goroutine has run since.
func TestPoolIsCancelledAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		for name, call := range map[string]func(p *sweetspot.Pool[int]) error{
			"Submit": func(p *sweetspot.Pool[int]) error { return p.Submit(t.Context(), 2) },
			"TrySubmit": func(p *sweetspot.Pool[int]) error {
				if p.TrySubmit(2) {
					return nil
				}
				return errStop
			},
			"Close": (*sweetspot.Pool[int]).Close,
		} {
			ctx, cancel := context.WithCancelCause(t.Context())
			p := sweetspot.NewPool(ctx, each(func(context.Context, int) {}), sweetspot.Fixed(1))
			if err := p.Submit(ctx, 1); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			cancel(errStop)
			if err := call(p); err != errStop {
				t.Errorf("%s: %v", name, err)
			}
			for range 2 {
				if err := p.Close(); err != errStop {
					t.Errorf("Close after %s: %v", name, err)
				}
			}
		}
		// what Close has said stands
		for _, n := range []int{0, 1} {
			ctx, cancel := context.WithCancelCause(t.Context())
			p := sweetspot.NewPool(ctx, each(func(context.Context, int) {}), sweetspot.Fixed(1))
			for range n {
				p.Submit(ctx, 1)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			cancel(errStop)
			if err := p.Close(); err != nil {
				t.Errorf("a second Close after %d values: %v", n, err)
			}
			if err := p.Submit(t.Context(), 1); err != sweetspot.ErrClosed {
				t.Errorf("Submit after Close and %d values: %v", n, err)
			}
		}
	})
}

// TestPoolIsCancelledByAWorker: what a worker returns after the end of the context is no failure of
// its own, even if no other goroutine has run since.
func TestPoolIsCancelledByAWorker(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			work func(ctx context.Context, tasks iter.Seq[int]) error
			want error
		}{
			"the end":             {func(ctx context.Context, _ iter.Seq[int]) error { return ctx.Err() }, errStop},
			"the end, wrapped":    {func(ctx context.Context, _ iter.Seq[int]) error { return fmt.Errorf("x: %w", ctx.Err()) }, errStop},
			"nothing":             {func(context.Context, iter.Seq[int]) error { return nil }, errStop},
			"an error of its own": {func(context.Context, iter.Seq[int]) error { return errBad }, errBad},
		} {
			ctx, cancel := context.WithCancelCause(t.Context())
			p := sweetspot.NewPool(ctx, func(ctx context.Context, tasks iter.Seq[int]) error {
				cancel(errStop)
				return c.work(ctx, tasks)
			}, sweetspot.Fixed(1))
			p.Submit(t.Context(), 1)
			synctest.Wait()
			for range 2 {
				if err := p.Close(); err != c.want {
					t.Errorf("%s: %v, want %v", name, err, c.want)
				}
			}
		}
	})
}

// TestPoolIsCancelledWhileItCloses: the context ends while Close waits for the last worker, even
// if no other goroutine has run since, and each Close says so.
func TestPoolIsCancelledWhileItCloses(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := sweetspot.NewPool(ctx, func(_ context.Context, tasks iter.Seq[int]) error {
			for range tasks {
			}
			cancel(errStop)
			return nil
		}, sweetspot.Fixed(1))
		p.Submit(t.Context(), 1)
		for range 2 {
			if err := p.Close(); err != errStop {
				t.Errorf("Close: %v", err)
			}
			synctest.Wait()
		}
	})
}

// TestPoolDropsBatches: of what a worker has claimed, only the value that it is at is done after
// the end.
func TestPoolDropsBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		done := 0
		p := sweetspot.NewPool(ctx, each(func(_ context.Context, v int) {
			time.Sleep([]time.Duration{0, time.Millisecond, 100 * time.Microsecond}[min(v, 2)])
			done++
		}), sweetspot.Fixed(1), sweetspot.MinChunk(100))
		for v := range 102 {
			p.Submit(ctx, v)
			if v < 2 {
				synctest.Wait() // 1 holds up the others, which are then claimed together
			}
		}
		time.Sleep(1250 * time.Microsecond)
		cancel(errStop)
		if err := p.Close(); err != errStop || done < 3 || done > 5 {
			t.Errorf("%v after %d values", err, done)
		}
	})
}

func TestPoolPassesOnPanicsAndGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			p := sweetspot.NewPool(t.Context(), each(func(_ context.Context, v int) {
				if v == 3 {
					explode()
				}
				time.Sleep(time.Second)
			}), opt)
			var err error
			for i := 0; err == nil; i++ {
				err = p.Submit(t.Context(), i)
			}
			if !errors.Is(err, sweetspot.ErrClosed) || !errors.Is(err, errBad) {
				t.Error(err)
			}
			for range 2 {
				value := refuse(func() { p.Close() })
				if e, ok := value.(*sweetspot.PanicError); !ok || e.Value != errBad || !strings.Contains(string(e.Stack), "explode") {
					t.Errorf("Close panics with %v", value)
				}
			}
			p = sweetspot.NewPool(t.Context(), each(func(context.Context, int) { runtime.Goexit() }), opt)
			p.Submit(t.Context(), 1)
			returned, done := false, make(chan bool)
			go func() {
				defer close(done)
				p.Close()
				returned = true
			}()
			<-done
			if returned {
				t.Error("Close returned after a Goexit")
			}
			if l, ok := opt.(*sweetspot.Limiter); ok {
				isFree(t, l)
			}
		}
	})
}

func TestPoolTrySubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sweetspot.NewPool(t.Context(), each(func(context.Context, int) { time.Sleep(time.Second) }), sweetspot.Fixed(2))
		n := 0
		for p.TrySubmit(n) {
			n++
			synctest.Wait()
		}
		if n != 4 { // two at work, two waiting
			t.Errorf("%d values were taken at once", n)
		}
		pause(1500 * time.Millisecond)
		if !p.TrySubmit(n) {
			t.Error("there is room, but no value is taken")
		}
		if err := p.Close(); err != nil || p.TrySubmit(n) {
			t.Error(err)
		}
	})
}

// TestPoolLetsGo: a pool keeps no value that was done, whatever its workers are at.
func TestPoolLetsGo(t *testing.T) {
	type value struct {
		does func()
		_    [64]byte
	}
	run := func(name string, test func(t *testing.T, submit func(p *sweetspot.Pool[*value], does func()), kept func() int)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var values []weak.Pointer[value]
				submit := func(p *sweetspot.Pool[*value], does func()) {
					v := &value{does: does}
					values = append(values, weak.Make(v))
					if err := p.Submit(t.Context(), v); err != nil {
						t.Error(err)
					}
				}
				test(t, submit, func() (n int) {
					runtime.GC()
					for _, v := range values {
						if v.Value() != nil {
							n++
						}
					}
					return n
				})
			})
		})
	}
	work := each(func(_ context.Context, v *value) { v.does() })
	second := func() { time.Sleep(time.Second) }

	run("parked without a permit", func(t *testing.T, submit func(*sweetspot.Pool[*value], func()), kept func() int) {
		l := setTo(sweetspot.New(), 2)
		p := sweetspot.NewPool(t.Context(), work, l)
		submit(p, second)
		submit(p, second)
		pause(100 * time.Millisecond)
		l.SetLimit(1)
		pause(2 * time.Second)
		if n := kept(); n != 0 {
			t.Errorf("%d values are kept", n)
		}
		p.Close()
	})
	run("taken back from a stuck worker", func(t *testing.T, submit func(*sweetspot.Pool[*value], func()), kept func() int) {
		p := sweetspot.NewPool(t.Context(), work, sweetspot.Fixed(2), sweetspot.MinChunk(100))
		submit(p, func() {})
		synctest.Wait()
		submit(p, func() { time.Sleep(100 * time.Microsecond) }) // holds up the others, which are then claimed together
		synctest.Wait()
		release, done := make(chan bool), 0
		submit(p, func() { <-release })
		for range 20 {
			submit(p, func() { done++ })
		}
		pause(10 * time.Millisecond)
		if n := kept(); n != 1 || done != 20 {
			t.Errorf("%d values are kept, want 1; %d done", n, done)
		}
		close(release)
		p.Close()
	})
	run("left", func(t *testing.T, submit func(*sweetspot.Pool[*value], func()), kept func() int) {
		release := make(chan bool)
		p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[*value]) error {
			for v := range tasks {
				v.does()
				break
			}
			<-release
			for v := range tasks {
				v.does()
			}
			return nil
		}, sweetspot.Fixed(1))
		submit(p, second)
		pause(2 * time.Second)
		if n := kept(); n != 0 {
			t.Errorf("%d values are kept", n)
		}
		close(release)
		p.Close()
	})
	run("departed", func(t *testing.T, submit func(*sweetspot.Pool[*value], func()), kept func() int) {
		n := 0
		p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[*value]) error {
			for v := range tasks {
				v.does()
				if n++; n == 2 {
					break
				}
			}
			return nil
		}, sweetspot.Fixed(1))
		submit(p, second)
		pause(2 * time.Second)
		submit(p, second)
		pause(2 * time.Second)
		if n := kept(); n != 0 {
			t.Errorf("%d values are kept", n)
		}
		p.Close()
	})
}
