package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

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
