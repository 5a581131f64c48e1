package sweetspot_test

import (
	"context"
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
