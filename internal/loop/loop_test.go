package loop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestManualAndBack: a limit set manually stands whatever the law, the bounds and
// the ceiling say; handed back, the law goes on from there at once.
func TestManualAndBack(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			d := control.Decision{Limit: r.Limit + 1, After: time.Hour, Experiment: true}
			d.Reason = control.Reason{Kind: control.Grow, From: r.Limit, To: r.Limit + 1}
			return d
		}}
		l := governed(c, loop.Config{Min: 2, Max: 8, Start: 4})
		l.SetLimit(20)
		take(t, l, 1)
		pause(2 * time.Second)
		if got := l.Limit(); got != 20 {
			t.Errorf("limit %d, want 20 as set manually", got)
		}
		if r := c.last(); r.Min != 20 || r.Max != 20 {
			t.Errorf("the law gets %+v, want no room", r)
		}
		want := []loop.Decision{{From: 4, To: 20}}
		if got := l.Decisions(); len(got) != 1 || got[0].From != 4 || got[0].To != 20 || got[0].Reason.Kind != control.Manual {
			t.Errorf("changes %+v, want %+v, manual", got, want)
		}
		l.Auto()
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
			}), loop.Config{Max: highest})
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
					l.End(l.Clock(), loop.Outcome(r.IntN(3)), 1)
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
	l := setTo(governed(c, loop.Config{}), 4)
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
			l.End(l.Clock(), loop.Done, int64(i)) // 0 by the first
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
	l := setTo(governed(law(keep), loop.Config{}), 4)
	take(t, l, 1) // keeps it awake: waking makes a timer
	ctx := t.Context()
	for name, f := range map[string]func(){
		"Acquire":    func() { l.Acquire(ctx); l.Release() },
		"TryAcquire": func() { l.TryAcquire(); l.End(l.Clock(), loop.Overloaded, 1) },
		"weighted":   func() { l.Acquire(ctx); l.End(l.Clock(), loop.Done, 7) },
		"Begin":      func() { l.Acquire(ctx); l.End(l.Clock(), loop.Done, 1) },
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
