package main

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// each is work that takes so many seconds for each request.
func each(s float64) []weighted { return []weighted{{s, 1}} }

func tripwireFixed(sc *tripwireScenario, n int) tripwireResult {
	return playTripwire(sc, 1, func(c *clock) gate { return &door{lim: newLimiter(c, nil, n, machine{})} })
}

// TestThreadsAreShared: more requests than threads get the same share each, and what a
// client gives up makes room.
func TestThreadsAreShared(t *testing.T) {
	c := new(clock)
	s := newThreads(c, 2)
	all := s.classes[0]
	took := map[string]float64{}
	note := func(name string) func() { return func() { took[name] = c.now.Seconds() } }
	s.begin(all, 1, note("short"))
	s.begin(all, 2, note("long"))
	s.begin(all, 2, note("other"))
	gone := s.begin(all, 3600, note("gone"))
	c.after(time.Second, func() { s.drop(gone) })
	c.run(time.Minute)
	// Each gets half a thread for a second, then two thirds of one for 0.75 s, when
	// short is done, and a whole one from then on.
	for name, want := range map[string]float64{"short": 1.75, "long": 2.75, "other": 2.75} {
		if math.Abs(took[name]-want) > 1e-6 {
			t.Errorf("%s took %v s, want %v", name, took[name], want)
		}
	}
	if len(took) != 3 || all.active != 0 {
		t.Errorf("%v done, %d at the server, want 3 and 0", took, all.active)
	}
}

// TestTripwireFixed: below the capacity nobody waits or is refused; above it the threads
// serve what they can.
func TestTripwireFixed(t *testing.T) {
	// Rates at which requests do not come just when others are done.
	easy := tripwireScenario{Threads: 12, Stages: []stage{{60, 97, each(0.05)}}}
	if r := tripwireFixed(&easy, 6); r.success < 0.998 || math.Abs(r.mean-0.050) > 1e-4 {
		t.Errorf("%+v below the capacity, want all in 50 ms", r)
	}
	if r := tripwireFixed(&easy, 3); math.Abs(r.success-0.6) > 0.01 {
		t.Errorf("%+v: 3 at a time serve 3 of the 5 requests that come in 50 ms", r)
	}
	hard := tripwireScenario{Threads: 12, Stages: []stage{{60, 193, each(0.1)}}}
	for _, n := range []int{12, 24} {
		r := tripwireFixed(&hard, n)
		if mean := 0.1 * float64(n) / 12; r.success > 120./193 || r.success < 0.59 || math.Abs(r.mean/mean-1) > 0.03 {
			t.Errorf("%+v with %d, want nearly 120 of 193 in %v s", r, n, mean)
		}
	}
	if n, _ := sweepTripwire(func(n int) tripwireResult { return tripwireFixed(&hard, n) }); n < 12 || n > 13 {
		t.Errorf("the best number is %d, want that of the threads or one more", n)
	}
}

// TestDoor: a quarter of the limit may wait, one at least; without a queue nobody.
func TestDoor(t *testing.T) {
	for _, test := range []struct {
		queue    float64
		limit, n int
	}{{0, 8, 8}, {0.25, 8, 10}, {0.25, 1, 2}} {
		d := &door{newLimiter(new(clock), nil, test.limit, machine{}), test.queue}
		in := 0
		for range 20 {
			d.enter(func(func(sweetspot.Outcome)) { in++ })
		}
		if in += len(d.lim.queue); in != test.n {
			t.Errorf("%d came in with a limit of %d and a queue of %v, want %d", in, test.limit, test.queue, test.n)
		}
	}
}

// TestFailsafe: failsafe-go's limiter gets the simulation's time: it starts at 20, and
// after some windows of a second allows five times what is in flight.
func TestFailsafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		easy := tripwireScenario{Threads: 12, Stages: []stage{{60, 100, each(0.05)}}}
		var f *failsafe
		r := playTripwire(&easy, 1, func(c *clock) gate {
			f = newFailsafe(ctx, c, failsafeSettings{Samples: 10, Correlation: 10})
			if f.limit() != tripwireFirstLimit {
				t.Errorf("it starts at %d, want %d", f.limit(), tripwireFirstLimit)
			}
			return f
		})
		if r.success < 0.998 || f.limit() <= tripwireFirstLimit || f.limit() > 30 {
			t.Errorf("%+v with a limit of %d at last, want all served and 25 to 30", r, f.limit())
		}
		// With a queue, those who wait get the permits that come back.
		hard := tripwireScenario{Threads: 2, Stages: []stage{{10, 100, each(0.1)}}}
		r = playTripwire(&hard, 1, func(c *clock) gate { return newFailsafe(ctx, c, failsafeSettings{10, 50, 2, 3}) })
		if served := r.success * 1000; served < 180 || served > 200 {
			t.Errorf("%v requests served in 10 s by two threads in 100 ms each, want nearly 200", served)
		}
	})
}
