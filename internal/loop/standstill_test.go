package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// TestStandstill: while the machine or the process stands still there is nothing to learn.
// When only the governor comes late, there is.
func TestStandstill(t *testing.T) {
	alone(t)
	for name, c := range map[string]struct {
		lasts  time.Duration
		own    float64       // CPUs that the process used meanwhile
		counts time.Duration // in Reading.At
		timed  int64         // of two units that it met in flight, and one after it
	}{
		"paused":               {5 * time.Second, 0, 0, 1},
		"paused but for a bit": {5 * time.Second, 0.01, 0, 1},
		"starved":              {5 * time.Second, 1, 5 * time.Second, 3},
		"a little late":        {150 * time.Millisecond, 0, 150 * time.Millisecond, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, paused, own := time.Now(), false, 0.0
				law := &recorder{law: keep}
				l := loop.New(loop.Config{Controller: law, Start: 2, Sensor: sensor(func(int) sense.Sample {
					s := sense.Sample{CPUs: 2, OwnCPU: own, MachineCPU: own + time.Since(began).Seconds(), Runnable: 1}
					if !paused && time.Since(began) > time.Second {
						// This keeps the governor as a pause keeps the whole process.
						paused = true
						time.Sleep(c.lasts)
						own += c.own * c.lasts.Seconds()
					}
					return s
				})})
				unit := func(d time.Duration) {
					l.Do(t.Context(), func(context.Context) error { time.Sleep(d); return nil })
				}
				for range 2 {
					go unit(time.Second + c.lasts + time.Second)
				}
				go func() { time.Sleep(time.Millisecond); unit(100 * time.Millisecond) }() // waits
				pause(time.Second + c.lasts + 500*time.Millisecond)
				r, first := law.last(), law.all()[0]
				at, want := r.At.Seconds(), (1500*time.Millisecond + c.counts).Seconds()
				if at < want-0.03 || at > want+0.03 {
					t.Errorf("At is %v s, want %v", at, want)
				}
				for total, got := range map[string]float64{
					"bound": r.Bound, "occupancy": r.Occupancy / 2, "runnable": r.Runnable,
					"machine": r.MachineCPU - r.OwnCPU + first.At.Seconds(),
				} {
					if got < at-0.04 || got > at+0.04 {
						t.Errorf("%s: %v s of %v", total, got, at)
					}
				}
				pause(2 * time.Second)
				rests(t, l)
				if r := law.last(); r.Completed != 3 || r.Timed != c.timed || c.timed == 1 && !near(r.Residence, 0.1) {
					t.Errorf("%d completed, %d timed with %v s in flight; want 3 and %d", r.Completed, r.Timed, r.Residence, c.timed)
				}
			})
		})
	}
}
