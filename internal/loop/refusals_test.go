package loop_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// A counter serves arrivals with TryAcquire, as a server does that sheds load.
type counter struct{ served, refused int }

// arrivals has rate callers a second come at random for d, each with work that takes
// that long if it is admitted.
func (c *counter) arrivals(l *loop.Loop, r *rand.Rand, rate float64, takes, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(time.Duration(r.ExpFloat64() / rate * 1e9))
		if !l.TryAcquire() {
			c.refused++
			continue
		}
		c.served++
		began := l.Clock()
		time.AfterFunc(takes, func() { l.End(began, loop.Done, 1) })
	}
}

// TestRefusalsAreDemand: a server that refuses 40 % must grow, though nobody waits: once
// it has found the limit for a few callers, many more come.
func TestRefusalsAreDemand(t *testing.T) {
	for name, c := range map[string]struct {
		rate  float64
		takes time.Duration
		start int
	}{
		"2 of 2.5": {100, 25 * time.Millisecond, 2},
		"2 of 2":   {100, 20 * time.Millisecond, 2},
		"6 of 15":  {100, 150 * time.Millisecond, 6},
		"24 of 40": {2000, 20 * time.Millisecond, 24},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) {
					l := governed(control.NewSearch(), loop.Config{Start: c.start})
					r := rand.New(rand.NewPCG(seed, 2))
					var few, then counter
					few.arrivals(l, r, c.rate/5, c.takes, 10*time.Second)
					few.arrivals(l, r, c.rate, c.takes, 20*time.Second)
					then.arrivals(l, r, c.rate, c.takes, 5*time.Second)
					t.Logf("%+v with a limit of %d", then, l.Limit())
					if then.refused > then.served/5 {
						t.Errorf("after 20 s %+v with a limit of %d, want one in 5 refused at most; %v", then, l.Limit(), l.Decisions())
					}
					pause(time.Second)
					rests(t, l)
				})
			}
		})
	}
}

// TestRefusalsInReadings: while many are refused the limit is binding, and somebody
// waits; not while few are, and not if those who were refused then wait.
func TestRefusalsInReadings(t *testing.T) {
	type caller func(l *loop.Loop)
	try := func(l *loop.Loop) {
		if l.TryAcquire() {
			time.AfterFunc(10*time.Millisecond, l.Release)
		}
	}
	patient := func(l *loop.Loop) {
		if l.TryAcquire() || l.Acquire(context.Background()) == nil {
			time.AfterFunc(10*time.Millisecond, l.Release)
		}
	}
	for name, c := range map[string]struct {
		caller
		limit int
		every time.Duration // two callers come together
		bound float64       // share of the time
	}{
		"half are refused":            {try, 1, 20 * time.Millisecond, 1},
		"half are refused, rarely":    {try, 1, 50 * time.Millisecond, 1},
		"none is":                     {try, 2, 20 * time.Millisecond, 0},
		"half wait, half of the time": {patient, 1, 20 * time.Millisecond, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := &recorder{law: keep}
				l := governed(rec, loop.Config{Start: c.limit})
				take(t, l, 1) // so that it does not rest
				l.SetLimit(c.limit + 1)
				come := func(d time.Duration) (bound float64) {
					before := rec.last()
					for end := time.Now().Add(d); time.Now().Before(end); pause(c.every) {
						go c.caller(l)
						go c.caller(l)
					}
					after := rec.last()
					if after.Waiting < 1 && c.bound == 1 {
						t.Errorf("nobody waits: %+v", after)
					}
					return (after.Bound - before.Bound) / (after.At - before.At).Seconds()
				}
				pause(100 * time.Millisecond)
				come(time.Second)
				if got := come(2 * time.Second); got < c.bound-0.02 || got > c.bound+0.02 {
					t.Errorf("bound for %v of the time, want %v", got, c.bound)
				}
				pause(4 * time.Second) // and nobody comes
				before := rec.last()
				pause(time.Second)
				if after := rec.last(); after.Bound != before.Bound || after.Waiting != 0 {
					t.Errorf("bound for %v s, %d waiting, when nobody comes", after.Bound-before.Bound, after.Waiting)
				}
				l.Release()
				rests(t, l)
			})
		})
	}
	// One in a hundred who is refused says little.
	synctest.Test(t, func(t *testing.T) {
		rec := &recorder{law: keep}
		l := governed(rec, loop.Config{Start: 1})
		for i := range 2000 {
			take(t, l, 1)
			if i > 500 && i%100 == 0 && l.TryAcquire() {
				t.Error("two at a time")
			}
			pause(time.Millisecond)
			l.Release()
		}
		if r := rec.last(); r.Bound > 0 {
			t.Errorf("bound for %v of %v with one in a hundred refused", r.Bound, r.At)
		}
		rests(t, l)
	})
}
