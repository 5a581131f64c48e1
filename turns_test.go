package sweetspot_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// An experimenter is a law that experiments whenever it may.
type experimenter struct {
	t       *testing.T
	lasts   time.Duration
	pause   time.Duration // between experiments
	running *gauge        // shared with the others

	busy  bool
	at    time.Duration // of the last beginning or end
	began []time.Time
}

func (e *experimenter) Next(r control.Reading) control.Decision {
	switch {
	case e.busy && !r.Turn:
		e.t.Error("lost its turn in the middle")
		e.end(r)
	case e.busy && r.At-e.at >= e.lasts:
		e.end(r)
		return control.Decision{Limit: 2}
	case e.busy:
	case len(e.began) > 0 && r.At-e.at < e.pause:
		return control.Decision{Limit: 2}
	case r.Turn:
		e.busy, e.at = true, r.At
		e.began = append(e.began, time.Now())
		e.running.enter()
	default:
		return control.Decision{Limit: 2, Experiment: true, After: time.Hour} // wants to
	}
	return control.Decision{Limit: 4, Experiment: true}
}

func (e *experimenter) end(r control.Reading) {
	e.busy, e.at = false, r.At
	e.running.leave()
}

// turnstileIsFree checks that a test leaves nothing to the next one.
func turnstileIsFree(t *testing.T) {
	t.Helper()
	if held, waiting := sweetspot.Turns(); held || waiting > 0 {
		t.Errorf("at the end somebody holds the turn: %t, %d wait", held, waiting)
	}
}

// TestTurns: experiments never overlap, and each Limiter gets as many.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running gauge
		laws := make([]*experimenter, 3)
		limiters := make([]*sweetspot.Limiter, len(laws))
		for i := range laws {
			laws[i] = &experimenter{t: t, running: &running, lasts: 200 * time.Millisecond}
			limiters[i] = governed(laws[i])
			take(t, limiters[i], 1)
		}
		pause(time.Minute)
		if got := running.most.Load(); got != 1 {
			t.Errorf("%d experiments at a time", got)
		}
		// Each takes 200 ms, and up to two ticks pass until it is seen to have
		// ended and until the next one asks.
		for i, e := range laws {
			if n := len(e.began); n < 85 || n > 100 {
				t.Errorf("%d experiments of Limiter %d in a minute shared by three", n, i)
			}
		}
		for i := range min(len(laws[0].began), len(laws[1].began), len(laws[2].began)) - 1 {
			for j := range laws {
				if next := (j + 1) % 3; laws[next].began[i].After(laws[j].began[i+1]) {
					t.Fatalf("Limiter %d had two turns before %d had turn %d", j, next, i)
				}
			}
		}
		for _, l := range limiters {
			l.Release()
		}
		pause(50 * time.Millisecond)
		turnstileIsFree(t)
	})
}

// TestTurnEndsAtRest: a Limiter that goes to rest while it experiments, or while
// it waits for its turn, makes way.
func TestTurnEndsAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := law(func(r control.Reading) control.Decision {
			return control.Decision{Limit: 2, Experiment: true, After: time.Hour}
		})
		a, b := governed(forever), governed(forever)
		take(t, a, 1)
		pause(30 * time.Millisecond)
		take(t, b, 1)
		pause(30 * time.Millisecond)
		var running gauge
		c := &experimenter{t: t, running: &running, lasts: time.Second}
		l := governed(c)
		take(t, l, 1)
		pause(time.Minute)
		if held, waiting := sweetspot.Turns(); !held || waiting != 2 || len(c.began) > 0 {
			t.Fatalf("held %t, %d wait, %d begun; want one to hold it and two to wait", held, waiting, len(c.began))
		}
		b.Release() // waits, as the first
		rests(t, b)
		a.Release() // holds it
		began := time.Now()
		rests(t, a)
		pause(20 * time.Millisecond)
		if len(c.began) != 1 || c.began[0].Sub(began) > 200*time.Millisecond {
			t.Errorf("began at %v, want soon after %v", c.began, began)
		}
		l.Release()
		rests(t, l)
		turnstileIsFree(t)
	})
}

// TestTurnGivenUpByHand: who may not move the limit any more needs no turn.
func TestTurnGivenUpByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(func(r control.Reading) control.Decision {
			return control.Decision{Limit: 2, Experiment: true, After: time.Hour}
		}))
		take(t, l, 1)
		pause(30 * time.Millisecond)
		if held, _ := sweetspot.Turns(); !held {
			t.Fatal("no turn")
		}
		l.SetLimit(5)
		pause(14 * time.Millisecond)
		turnstileIsFree(t)
		l.Release()
		rests(t, l)
	})
}

// TestTurnOfTheDead: a bubble may end with a unit in flight that is being
// experimented on, and one that waits. Their governors never tick again.
func TestTurnOfTheDead(t *testing.T) {
	forever := law(func(r control.Reading) control.Decision {
		return control.Decision{Limit: 2, Experiment: true}
	})
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			take(t, governed(forever), 1)
			pause(30 * time.Millisecond)
		}
	})
	if held, waiting := sweetspot.Turns(); !held || waiting != 1 {
		t.Fatalf("held %t, %d wait; want 1 each, or this test shows nothing", held, waiting)
	}
	synctest.Test(t, func(t *testing.T) {
		var running gauge
		c := &experimenter{t: t, running: &running, lasts: time.Second}
		l := governed(c)
		take(t, l, 1)
		pause(time.Duration(2*sweetspot.Patience+10) * 10 * time.Millisecond)
		if len(c.began) == 0 {
			t.Error("still waits for the dead")
		}
		l.Release()
		rests(t, l)
	})
	turnstileIsFree(t)
}
