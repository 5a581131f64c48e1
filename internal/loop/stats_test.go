package loop_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// TestChanges: the newest are kept, oldest first.
func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var decisions atomic.Int64
		l := governed(law(func(control.Reading) control.Decision {
			n := int(decisions.Add(1))
			return control.Decision{Limit: n, Reason: control.Reason{Kind: control.Grow, From: n - 1, To: n, Gain: math.NaN()}}
		}), loop.Config{Start: 1})
		if got := l.Decisions(); len(got) != 0 {
			t.Errorf("a new Limiter has changes %+v", got)
		}
		take(t, l, 1)
		check := func() {
			t.Helper()
			got, n := l.Decisions(), int(decisions.Load())
			if len(got) != min(n, loop.DecisionsKept) {
				t.Fatalf("%d changes after %d decisions", len(got), n)
			}
			for i, c := range got {
				k := n - len(got) + i + 1
				if c.From != max(k-1, 1) || c.To != k || c.Reason.To != k {
					t.Fatalf("change %d of %d: %+v, want to %d", i, len(got), c, k)
				}
				if i > 0 && c.At <= got[i-1].At {
					t.Fatalf("change %d at %v, after one at %v", i, c.At, got[i-1].At)
				}
			}
		}
		for decisions.Load() < 2*loop.DecisionsKept+3 {
			pause(50 * time.Millisecond)
			check()
		}
		l.Decisions()[0].To = -1 // a copy
		check()
		l.Release()
		rests(t, l)
	})
}

// TestChangesFromTo: each change says the limit before and after, as its reason
// does, even if the law tells it late; and what bounds made of it.
func TestChangesFromTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := func(k control.Kind, from, to int) control.Reason {
			return control.Reason{Kind: k, From: from, To: to, Gain: math.NaN()}
		}
		decisions := []struct {
			limit    int
			reason   control.Reason
			from, to int // told; 0 if nothing
		}{
			{4, reason(control.Start, 4, 4), 4, 4},
			{8, reason(control.Probe, 4, 8), 4, 8},
			{16, reason(control.Grow, 4, 8), 4, 8}, // the verdict, and the next probe
			{16, reason(control.Probe, 8, 16), 8, 16},
			{8, reason(control.Stay, 8, 16), 8, 8},
			{8, reason(control.None, 8, 8), 0, 0},
			{6, reason(control.Shrink, 8, 6), 8, 6},
			{30, reason(control.Grow, 6, 30), 6, 20},  // Max is 20
			{31, reason(control.Grow, 20, 31), 0, 0},  // no move at all
			{1, reason(control.Shrink, 20, 1), 20, 2}, // Min is 2
			{9, control.Reason{Kind: control.Grow}, 2, 9},
			{9, control.Reason{Kind: control.Changed}, 9, 9},
		}
		i := 0
		l := governed(law(func(r control.Reading) control.Decision {
			if i == len(decisions) {
				return keep(r)
			}
			d := decisions[i]
			i++
			return control.Decision{Limit: d.limit, Reason: d.reason}
		}), loop.Config{Start: 4, Min: 2, Max: 20})
		take(t, l, 1)
		pause(time.Second)
		got := l.Decisions()
		for i, d := range decisions {
			if d.from == 0 {
				continue
			}
			if len(got) == 0 {
				t.Fatalf("decision %d is not told", i)
			}
			if c := got[0]; c.From != d.from || c.To != d.to || c.Reason.Kind != d.reason.Kind {
				t.Errorf("decision %d is told as %+v, want from %d to %d", i, c, d.from, d.to)
			}
			got = got[1:]
		}
		if len(got) > 0 {
			t.Errorf("told without a decision: %+v", got)
		}
		l.Release()
		rests(t, l)
	})
}

func TestStats(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := setTo(loop.New(loop.Config{Sensor: sensor(func(int) sense.Sample {
			s := time.Since(began).Seconds()
			return sense.Sample{OwnCPU: 1.5 * s, MachineCPU: 1.75 * s, CPUs: 2}
		})}), 4)
		if got, want := l.Stats(), (loop.Stats{Limit: 4, Manual: true}); got != want {
			t.Errorf("a new Limiter: %+v, want %+v", got, want)
		}
		work := func(units, weight int, lasts time.Duration) {
			var left atomic.Int64
			left.Store(int64(units))
			together(5, func(int) { // one of them waits
				for left.Add(-1) >= 0 {
					if err := l.Acquire(t.Context()); err != nil {
						t.Error(err)
					}
					began := l.Clock()
					time.Sleep(lasts)
					l.End(began, loop.Done, int64(weight))
				}
			})
		}
		about := func(got, want float64) bool { return math.Abs(got-want) <= 0.05*want }
		check := func(rate, residence float64) {
			t.Helper()
			s := l.Stats()
			if s.InFlight != 4 || s.Waiting != 1 || s.Limit != 4 || s.CPUs != 2 ||
				!about(s.Rate, rate) || !near(s.Residence, residence) || !about(s.OwnCPU, 1.5) || !about(s.MachineCPU, 1.75) {
				t.Errorf("got %+v, want rate %v, residence %v", s, rate, residence)
			}
		}
		go work(2000, 1, 10*time.Millisecond)
		pause(305 * time.Millisecond)
		check(400, 0.01) // soon, from what there is
		pause(2 * time.Second)
		check(400, 0.01)
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := l.Stats(); s.Completed != 2000 || s.InFlight != 0 || s.Active < 5*time.Second || s.Active > 5100*time.Millisecond || !about(s.Rate, 400) {
			t.Errorf("at rest %+v", s)
		}
		go work(500, 7, 50*time.Millisecond)
		pause(1225 * time.Millisecond) // nothing is left of what was before the rest
		check(4*20*7, 0.05)
		time.Sleep(time.Hour)
		l.Do(t.Context(), func(context.Context) error { return errBad })
		take(t, l, 1)
		l.End(l.Clock(), loop.Overloaded, 1)
		if s := l.Stats(); s.Completed != 2500 || s.Ignored != 1 || s.Overloads != 1 {
			t.Errorf("counts %+v", s)
		}
		rests(t, l)
	})
}
