package loop_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestManyTickLess: many governors together tick no more often than some dozens do,
// each begins as if it were alone, and what they integrate stays right.
func TestManyTickLess(t *testing.T) {
	alone(t)
	const many = 5 * loop.AtEase
	synctest.Test(t, func(t *testing.T) {
		var all []*loop.Loop
		var laws []*recorder
		for range many {
			c := &recorder{law: keep}
			l := governed(c, loop.Config{Start: 3})
			take(t, l, 3)
			go func() { l.Acquire(t.Context()); l.Release() }()
			all, laws = append(all, l), append(laws, c)
		}
		pause(time.Second)
		for _, c := range laws[:10] {
			if first := c.all()[0].At; first > 13*time.Millisecond {
				t.Errorf("first tick after %v", first)
			}
		}
		before := 0
		for _, c := range laws {
			before += c.asked()
		}
		pause(5 * time.Second)
		ticks := -before
		for _, c := range laws {
			ticks += c.asked()
		}
		if most := 5 * 100 * loop.AtEase; ticks > most*11/10 || ticks < most/2 {
			t.Errorf("%d ticks in 5 s, want some %d", ticks, most)
		}
		for i, l := range all {
			if i < many-1 {
				finish(l, 3)
			}
		}
		pause(time.Second)
		c, l := laws[many-1], all[many-1]
		alone := c.asked()
		pause(time.Second)
		if n := c.asked() - alone; n < 90 || n > 110 {
			t.Errorf("%d ticks in a second once the others rest, want 100", n)
		}
		for _, c := range laws {
			first, last := c.all()[0], c.last()
			for _, r := range c.all() {
				if r.InFlight == 3 {
					last = r
				}
			}
			if d := (last.At - first.At).Seconds(); d < 5 || !near(last.Occupancy-first.Occupancy, 3*d) || !near(last.Bound, last.At.Seconds()) {
				t.Fatalf("%v s with 3 in flight and one waiting: %+v", d, last)
			}
		}
		finish(l, 3)
		for _, l := range all {
			rests(t, l)
		}
	})
}

// finish releases n permits.
func finish(l *loop.Loop, n int) {
	for range n {
		l.Release()
	}
}

// TestSparseTicksDoNotOvercount: a short piece of work is not taken to last until the
// next tick, however many others there are.
func TestSparseTicksDoNotOvercount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var others []*loop.Loop
		for range 8 * loop.AtEase {
			l := governed(law(keep), loop.Config{})
			take(t, l, 1)
			others = append(others, l)
		}
		c := &recorder{law: keep}
		l := governed(c, loop.Config{})
		for range 20 {
			take(t, l, 1)
			pause(5 * time.Millisecond)
			l.Release()
			rests(t, l)
		}
		if r := c.last(); r.Occupancy > 20*0.013 || r.At > 20*30*time.Millisecond {
			t.Errorf("20 units of 5 ms: occupancy %v s in %v", r.Occupancy, r.At)
		}
		for _, l := range others {
			finish(l, 1)
		}
		pause(time.Second)
		for _, l := range others {
			rests(t, l)
		}
	})
}

// TestSleep: a law that wants no reading for long is asked late, and costs few ticks.
func TestSleep(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: r.Limit, After: 50 * time.Millisecond}
		}}
		l := governed(c, loop.Config{Start: 2})
		take(t, l, 2)
		pause(time.Second)
		for i, r := range c.all()[1:] {
			if d := r.At - c.all()[i].At; d != 50*time.Millisecond {
				t.Fatalf("asked after %v, want 50 ms", d)
			}
		}
		finish(l, 2)
		rests(t, l)
	})
}

// TestTheDeadDoNotCount: a synctest bubble may end with units in flight. Their
// governors never tick again, and must not slow down others: no more than a few still count.
func TestTheDeadDoNotCount(t *testing.T) {
	before := loop.Ticking()
	synctest.Test(t, func(t *testing.T) {
		for range 50 {
			take(t, governed(law(keep), loop.Config{}), 1)
		}
		pause(time.Second)
		// Those left by other tests may go meanwhile.
		if n := loop.Ticking(); n < 50 {
			t.Errorf("%d tick, want at least 50", n)
		}
	})
	for i := 0; loop.Ticking() > before+loop.Few; i++ {
		if i == 1000 {
			t.Fatalf("%d count, %d before", loop.Ticking(), before)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestOccupancyOfAChangedLimit: those who waited are in flight as soon as the limit is
// raised, not from halfway to the next tick on.
func TestOccupancyOfAChangedLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: 1 + int(r.At/time.Second)%2*9, After: 100 * time.Millisecond}
		}}
		l := governed(c, loop.Config{Start: 1})
		take(t, l, 1)
		for range 9 {
			go l.Acquire(t.Context())
		}
		pause(1950 * time.Millisecond)
		all := c.all()
		for i, r := range all[1:] {
			if before := all[i]; r.Limit == 10 {
				if d := (r.At - before.At).Seconds(); !near(r.Occupancy-before.Occupancy, 10*d) {
					t.Errorf("%v s at a limit of 10: occupancy %v s", d, r.Occupancy-before.Occupancy)
				}
			}
		}
		if c.last().Limit != 10 {
			t.Error("the limit never rose")
		}
		finish(l, 10)
		rests(t, l)
	})
}
