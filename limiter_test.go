package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

var errStop = errors.New("stop")

// TestExact: the units in flight reach the limit and never exceed it.
func TestExact(t *testing.T) {
	for _, n := range []int{1, 3, 5} {
		t.Run(fmt.Sprint("limit=", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const units, lasts = 30, 10 * time.Millisecond
				l := governed(law(keep), sweetspot.Fixed(n))
				var g gauge
				began := time.Now()
				together(units, func(int) {
					if err := l.Acquire(t.Context()); err != nil {
						t.Error(err)
						return
					}
					g.enter()
					time.Sleep(lasts)
					g.leave()
					l.Release()
				})
				if got := g.most.Load(); got != int64(n) {
					t.Errorf("%d in flight at most, want %d", got, n)
				}
				if got, want := time.Since(began), units/time.Duration(n)*lasts; got != want {
					t.Errorf("took %v, want %v", got, want)
				}
				isFree(t, l)
				rests(t, l)
			})
		})
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(keep), sweetspot.Fixed(1))
		take(t, l, 1)
		var served []int
		for i := range 20 {
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				served = append(served, i)
				l.Release()
			}()
			synctest.Wait()
		}
		if l.TryAcquire() {
			t.Error("TryAcquire overtook those who wait")
		}
		l.Release()
		synctest.Wait()
		if len(served) != 20 || !slices.IsSorted(served) {
			t.Errorf("served in the order %v", served)
		}
		isFree(t, l)
	})
}

func TestAcquireCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(keep), sweetspot.Fixed(1))
		ctx, cancel := context.WithCancelCause(t.Context())
		take(t, l, 1)
		result := make(chan error, 1)
		go func() { result <- l.Acquire(ctx) }()
		synctest.Wait()
		cancel(errStop)
		if err := <-result; err != errStop {
			t.Errorf("Acquire = %v, want the cause", err)
		}
		l.Release()
		if err := l.Acquire(ctx); err != errStop {
			t.Errorf("Acquire of a context that is done = %v, want the cause", err)
		}
		isFree(t, l)
	})
}

func TestSetLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(keep), sweetspot.Fixed(2))
		var g gauge
		leave := make(chan struct{})
		for range 10 {
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				g.enter()
				<-leave
				g.leave()
				l.Release()
			}()
		}
		in := func(want int64, when string) {
			t.Helper()
			synctest.Wait()
			if got := g.now.Load(); got != want {
				t.Errorf("%s: %d in flight, want %d", when, got, want)
			}
		}
		in(2, "at first")
		l.SetLimit(5)
		in(5, "raised to 5")
		l.SetLimit(1)
		in(5, "lowered to 1")
		for want := int64(4); want >= 1; want-- {
			leave <- struct{}{}
			in(want, "while those beyond leave")
		}
		leave <- struct{}{}
		in(1, "at the lower limit")
		l.SetLimit(100)
		in(5, "with all the rest admitted")
		close(leave)
		synctest.Wait()
		isFree(t, l)
	})
}

// TestByHandAndBack: a limit set by hand stands whatever the law, the bounds and
// the ceiling say; handed back, the law goes on from there at once.
func TestByHandAndBack(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			d := control.Decision{Limit: r.Limit + 1, After: time.Hour, Experiment: true}
			d.Reason = control.Reason{Kind: control.Grow, From: r.Limit, To: r.Limit + 1}
			return d
		}}
		l := governed(c, sweetspot.Min(2), sweetspot.Max(8), sweetspot.Start(4))
		l.SetLimit(20)
		take(t, l, 1)
		pause(2 * time.Second)
		if got := l.Limit(); got != 20 {
			t.Errorf("limit %d, want 20 as set by hand", got)
		}
		if r := c.last(); r.Min != 20 || r.Max != 20 {
			t.Errorf("the law gets %+v, want no room", r)
		}
		want := []sweetspot.Change{{From: 4, To: 20}}
		if got := l.Changes(); len(got) != 1 || got[0].From != 4 || got[0].To != 20 || got[0].Reason.Kind != control.Manual {
			t.Errorf("changes %+v, want %+v by hand", got, want)
		}
		l.SetLimit(0)
		if got := l.Limit(); got != 20 {
			t.Errorf("limit %d right after it was handed back, want 20", got)
		}
		pause(20 * time.Millisecond)
		if got := l.Limit(); got != 8 {
			t.Errorf("limit %d, want the law's, within the bounds: 8", got)
		}
		l.Release()
		rests(t, l)
		l.SetLimit(3) // also at rest
		if got := l.Limit(); got != 3 {
			t.Errorf("limit %d at rest, want 3", got)
		}
	})
}

func TestMisuse(t *testing.T) {
	const noRelease, noCancel = "limit: Release without Acquire", "limit: Cancel without Acquire"
	for name, c := range map[string]struct {
		f    func(l *sweetspot.Limiter)
		want string
	}{
		"Release":      {func(l *sweetspot.Limiter) { l.Release() }, noRelease},
		"Ignored":      {func(l *sweetspot.Limiter) { l.ReleaseAs(sweetspot.Ignored) }, noCancel},
		"Overloaded":   {func(l *sweetspot.Limiter) { l.ReleaseAs(sweetspot.Overloaded) }, noCancel},
		"no outcome":   {func(l *sweetspot.Limiter) { l.ReleaseAs(3) }, "sweetspot: ReleaseAs(3): want Done, Ignored or Overloaded"},
		"ReleaseUnits": {func(l *sweetspot.Limiter) { l.ReleaseUnits(7) }, noRelease},
		"weight":       {func(l *sweetspot.Limiter) { l.ReleaseUnits(-1) }, "sweetspot: ReleaseUnits(-1): want 0 or more"},
		"End":          {func(l *sweetspot.Limiter) { l.Begin().End(sweetspot.Done, 1) }, noRelease},
		"End weight":   {func(l *sweetspot.Limiter) { l.Begin().End(sweetspot.Done, -1) }, "sweetspot: ReleaseUnits(-1): want 0 or more"},
		"zero Unit":    {func(*sweetspot.Limiter) { sweetspot.Unit{}.End(sweetspot.Done, 1) }, "sweetspot: End of a Unit not made by Begin"},
		"SetLimit":     {func(l *sweetspot.Limiter) { l.SetLimit(-1) }, "sweetspot: SetLimit(-1): want a number from 1 to 4194304, or 0 for automatic"},
		"SetLimit max": {func(l *sweetspot.Limiter) { l.SetLimit(1<<22 + 1) }, "sweetspot: SetLimit(4194305): want a number from 1 to 4194304, or 0 for automatic"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c0 := &recorder{law: keep}
				l := governed(c0, sweetspot.Start(3))
				if got := refuse(func() { c.f(l) }); got != c.want {
					t.Errorf("panics with %v, want %q", got, c.want)
				}
				isFree(t, l)
				// Nothing of it was counted.
				take(t, l, 1)
				pause(30 * time.Millisecond)
				if r := c0.last(); r.Completed != 0 || r.Units != 0 || r.Timed != 0 || r.Overloads != 0 {
					t.Errorf("the law is told %+v", r)
				}
				l.Release()
				rests(t, l)
			})
		})
	}
}

// TestStress: everything at once on real threads, while the governor ticks as
// fast as it can and goes to rest at each chance. Whoever holds a permit finds
// it awake.
func TestStress(t *testing.T) {
	for _, procs := range []int{1, 4} {
		t.Run(fmt.Sprint("procs=", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const workers, rounds, highest = 8, 200, 4
			l := governed(law(func(r control.Reading) control.Decision {
				return control.Decision{Limit: 1 + int(r.Completed)%highest}
			}), sweetspot.Max(highest))
			var g gauge
			quit := make(chan struct{})
			ticker := make(chan struct{})
			go func() {
				defer close(ticker)
				for {
					select {
					case <-quit:
						return
					default:
						l.Tick()
						runtime.Gosched()
					}
				}
			}()
			together(workers, func(i int) {
				r := rand.New(rand.NewPCG(uint64(procs), uint64(i)))
				for range rounds {
					if err := l.Acquire(t.Context()); err != nil {
						t.Error(err)
						return
					}
					g.enter()
					if !l.Awake() {
						t.Error("nobody governs a unit in flight")
					}
					if r.IntN(2) == 0 {
						runtime.Gosched()
					}
					g.leave()
					l.ReleaseAs(sweetspot.Outcome(r.IntN(3)))
					for range r.IntN(20) {
						runtime.Gosched() // let it go to rest
					}
				}
			})
			for l.Awake() {
				runtime.Gosched() // the ticker brings it to rest
			}
			close(quit)
			<-ticker
			if got := g.most.Load(); got > highest {
				t.Errorf("%d in flight, the limit was never above %d", got, highest)
			}
			s := l.Stats()
			if got := s.Completed + s.Ignored + s.Overloads; got != workers*rounds {
				t.Errorf("%d units ended, want %d: %+v", got, workers*rounds, s)
			}
			if s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("at the end %+v", s)
			}
		})
	}
}

// TestWeightsOnThreads: readings amid releases see totals that only grow, also
// of units that weigh nothing.
func TestWeightsOnThreads(t *testing.T) {
	c := &recorder{law: keep}
	l := governed(c, sweetspot.Fixed(4))
	take(t, l, 1)
	quit, ticked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ticked)
		for {
			select {
			case <-quit:
				return
			default:
				l.Tick()
			}
		}
	}()
	const workers, rounds = 3, 2000
	together(workers, func(i int) {
		for range rounds {
			if err := l.Acquire(t.Context()); err != nil {
				t.Error(err)
				return
			}
			l.ReleaseUnits(i) // 0 by the first
		}
	})
	close(quit)
	<-ticked
	l.Tick()
	var before control.Reading
	for _, r := range c.all() {
		if r.Units < before.Units || r.Completed < before.Completed {
			t.Fatalf("totals fell from %+v to %+v", before, r)
		}
		before = r
	}
	if before.Completed != workers*rounds || before.Units != (0+1+2)*rounds {
		t.Errorf("%d units of weight %v, want %d of %d", before.Completed, before.Units, workers*rounds, (0+1+2)*rounds)
	}
	for l.Release(); l.Awake(); {
		l.Tick()
	}
}

// TestNoAllocation: Acquire and Release without waiting, and units timed by
// hand, allocate nothing.
func TestNoAllocation(t *testing.T) {
	l := governed(law(keep), sweetspot.Fixed(4))
	take(t, l, 1) // keeps it awake: waking makes a timer
	ctx := t.Context()
	for name, f := range map[string]func(){
		"Acquire":      func() { l.Acquire(ctx); l.Release() },
		"TryAcquire":   func() { l.TryAcquire(); l.ReleaseAs(sweetspot.Overloaded) },
		"ReleaseUnits": func() { l.Acquire(ctx); l.ReleaseUnits(7) },
		"Begin":        func() { l.Acquire(ctx); l.Begin().End(sweetspot.Done, 1) },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	do := func(context.Context) error { return nil }
	if n := testing.AllocsPerRun(1000, func() { l.Do(ctx, do) }); n > 1 {
		t.Errorf("Do allocates %v times, want its context only", n)
	}
	for l.Release(); l.Awake(); {
		l.Tick()
	}
}

func TestName(t *testing.T) {
	if got := sweetspot.New(sweetspot.Name("images")).Name(); got != "images" {
		t.Errorf("Name() = %q", got)
	}
}
