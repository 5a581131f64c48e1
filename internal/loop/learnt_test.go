package loop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// TestFull: the CPUs are full where all of them, or nearly all and a fair share by this
// process, have been busy from the first measurement on.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		own, machine float64 // CPUs
		want         bool
	}{{0, 0, false}, {1, 1, false}, {1.7, 1.7, true}, {0.2, 1.95, false}, {0.8, 1.95, true}, {2.5, 2.5, true}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			l := loop.New(loop.Config{Sensor: sensor(func(int) sense.Sample {
				s := time.Since(began).Seconds()
				return sense.Sample{OwnCPU: 100 + c.own*s, MachineCPU: 1000 + c.machine*s, CPUs: 2}
			})})
			if l.Learnt().Full {
				t.Error("full before anything was measured")
			}
			if err := l.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
			if got := l.Learnt().Full; got != c.want {
				t.Errorf("%g CPUs of ours and %g in all, of 2: full %v, want %v", c.own, c.machine, got, c.want)
			}
			l.Release()
		})
	}
}
