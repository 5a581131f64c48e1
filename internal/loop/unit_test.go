package loop_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestTimed: Do and Begin tell the law how long units were in flight; only
// those that are Done, and apart those that began since the limit changed.
func TestTimed(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := setTo(governed(c, loop.Config{}), 10)
		lasts := func(d time.Duration, o loop.Outcome) {
			take(t, l, 1)
			began := l.Clock()
			pause(d)
			l.End(began, o, 1)
		}
		check := func(timed int64, sum, squares float64, since int64, sumSince float64) {
			t.Helper()
			pause(15 * time.Millisecond) // the longest tick is 13 ms
			r := c.last()
			if r.Timed != timed || !near(r.Residence, sum) || !near(r.Residence2, squares) ||
				r.TimedSince != since || !near(r.ResidenceSince, sumSince) {
				t.Errorf("the law is told %+v, want %d timed, %v s, %v s², since the change %d, %v s",
					r, timed, sum, squares, since, sumSince)
			}
		}
		take(t, l, 1) // keeps it awake
		lasts(100*time.Millisecond, loop.Done)
		l.Do(t.Context(), func(context.Context) error { time.Sleep(300 * time.Millisecond); return nil })
		check(2, 0.4, 0.1, 2, 0.4)
		lasts(time.Second, loop.Ignored)
		lasts(time.Second, loop.Overloaded)
		l.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second); return errBad })
		check(2, 0.4, 0.1, 2, 0.4)

		take(t, l, 1)
		across := l.Clock()
		pause(100 * time.Millisecond)
		l.SetLimit(9)
		pause(100 * time.Millisecond)
		l.End(across, loop.Done, 1) // began before
		check(3, 0.6, 0.14, 0, 0)
		lasts(200*time.Millisecond, loop.Done)
		check(4, 0.8, 0.18, 1, 0.2)
		l.SetLimit(9) // no change
		check(4, 0.8, 0.18, 1, 0.2)
		l.Release()
	})
}

// TestWeightsAreBounded: a weight that a peer has made up neither turns the sum back nor
// hides the units after it.
func TestWeightsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := setTo(governed(c, loop.Config{}), 10)
		take(t, l, 6)
		l.End(l.Clock(), loop.Done, math.MaxInt64)
		l.End(l.Clock(), loop.Done, math.MaxInt64)
		l.End(l.Clock(), loop.Done, math.MaxInt64)
		pause(30 * time.Millisecond)
		before := c.last()
		l.End(l.Clock(), loop.Done, 1)
		l.End(l.Clock(), loop.Done, 2)
		pause(30 * time.Millisecond)
		if r := c.last(); before.Units != 3<<40 || r.Units != 3<<40+3 {
			t.Errorf("three huge units weigh %v, and with two of weight 1 and 2 %v; want 3·2^40 and 3 more", before.Units, r.Units)
		}
		l.Weigh(math.MaxInt64 - 4<<40) // as if of eight million such units
		pause(30 * time.Millisecond)
		before = c.last()
		take(t, l, 2)
		l.End(l.Clock(), loop.Done, math.MaxInt64)
		l.End(l.Clock(), loop.Done, math.MaxInt64)
		pause(30 * time.Millisecond)
		if r := c.last(); r.Units-before.Units != 2<<40 {
			t.Errorf("where the sum wraps, two huge units weigh %v, want 2^41", r.Units-before.Units)
		}
		l.Release()
		rests(t, l)
	})
}
