package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestRetire: a Limiter that retires stops at once, and starts again when it is used.
func TestRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: r.Limit, Experiment: true}
		}}
		l := governed(c, loop.Config{})
		l.Retire() // never awake
		for range 3 {
			take(t, l, 1)
			pause(100 * time.Millisecond)
			if !l.Awake() {
				t.Fatal("asleep with a unit in flight: this test tests nothing")
			}
			l.Release()
			l.Retire()
			if l.Awake() {
				t.Error("awake after it retired")
			}
			asked := c.asked()
			pause(time.Hour)
			if n := c.asked() - asked; n != 0 {
				t.Errorf("%d decisions after it retired", n)
			}
			l.Retire() // once more
		}
		if n := l.Stats().Completed; n != 3 {
			t.Errorf("%d completed, want 3", n)
		}
		isFree(t, l)
		rests(t, l)
	})
}

// TestRetireWaitsForItsTick: a tick that has been started but not run yet is
// over when retire returns, and teaches nothing.
func TestRetireWaitsForItsTick(t *testing.T) {
	alone(t)
	c := &recorder{law: keep}
	l := governed(c, loop.Config{})
	for range 20 {
		take(t, l, 1)
		l.Release()
		asked := 0
		l.RetireLate(func() {
			time.Sleep(30 * time.Millisecond)
			asked = c.asked() // a tick may have come before
		})
		if l.Awake() {
			t.Fatal("awake after it retired")
		}
		if n := c.asked() - asked; n != 0 {
			t.Fatalf("%d decisions of a tick that came too late", n)
		}
	}
	before := c.asked()
	synctest.Test(t, func(t *testing.T) { // its timer may belong to a bubble from now on
		l.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second); return nil })
		l.Retire()
	})
	if n := c.asked() - before; n < 90 {
		t.Errorf("%d ticks in a second after it had retired", n)
	}
}
