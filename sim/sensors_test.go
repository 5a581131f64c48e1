package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestReadings(t *testing.T) {
	s := parse(t, "cpus 4\nwait ln(4ms, 1)\ncpu ln(4ms, 1)\nat 20s\nload 2")
	var last control.Reading
	calls := 0
	_, err := sim.Run(s, 1, law(func(r control.Reading) control.Decision {
		if calls++; calls == 1 && (r.At != 10*time.Millisecond || r.Limit != 4) {
			t.Errorf("first reading: at %v, limit %d", r.At, r.Limit)
		}
		if calls > 1 && r.At-last.At != 50*time.Millisecond {
			t.Fatalf("asked at %v, then at %v", last.At, r.At)
		}
		for _, grew := range []bool{
			r.Completed >= last.Completed, r.Residence >= last.Residence, r.Residence2 >= last.Residence2,
			r.Occupancy > last.Occupancy, r.Bound > last.Bound, r.OwnCPU >= last.OwnCPU,
			r.MachineCPU >= last.MachineCPU, r.Runnable >= last.Runnable, r.MachineCPU >= r.OwnCPU,
		} {
			if !grew {
				t.Fatalf("a counter fell: %+v, then %+v", last, r)
			}
		}
		if r.Units != float64(r.Completed) || r.Timed != r.Completed || r.CPUs != 4 || r.Min != 1 || r.Max != sim.MaxLimit || r.InFlight < 4 {
			t.Fatalf("%+v", r)
		}
		if ticks := r.OwnCPU * 100; math.Abs(ticks-math.Round(ticks)) > 1e-6 {
			t.Fatalf("own CPU %v s is not made of 10 ms ticks", r.OwnCPU)
		}
		last = r
		return control.Decision{Limit: 20, After: 50 * time.Millisecond}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if others := last.MachineCPU - last.OwnCPU; !closeTo(others, 2*(last.At.Seconds()-20), 0.01) {
		t.Errorf("others used %v s of CPU", others)
	}
	if !closeTo(last.OwnCPU, 4*20+2*(last.At.Seconds()-20), 0.02) {
		t.Errorf("own CPU %v s", last.OwnCPU)
	}
	if !closeTo(last.Occupancy, 20*last.At.Seconds(), 0.01) || !closeTo(last.Bound, last.At.Seconds(), 1e-6) {
		t.Errorf("occupancy %v, bound %v after %v", last.Occupancy, last.Bound, last.At)
	}
	if last.Runnable < 10*last.At.Seconds() || last.Runnable > 18*last.At.Seconds() {
		t.Errorf("runnable %v after %v", last.Runnable, last.At)
	}
}

// TestFineReadings: the work's own CPU time comes in finer steps where the
// scenario says so, and the controller is told.
func TestFineReadings(t *testing.T) {
	s := parse(t, "cpus 4\ntick 1ms\nwait ln(4ms, 1)\ncpu ln(1ms, 1)\nload 1")
	finer := 0
	var last control.Reading
	_, err := sim.Run(s, 1, law(func(r control.Reading) control.Decision {
		if ticks := r.OwnCPU * 1000; r.Tick != 0.001 || math.Abs(ticks-math.Round(ticks)) > 1e-6 {
			t.Fatalf("tick %v s, own CPU %v s: want whole ticks of 1 ms", r.Tick, r.OwnCPU)
		}
		if ticks := r.OwnCPU * 100; math.Abs(ticks-math.Round(ticks)) > 1e-6 {
			finer++
		}
		if r.MachineCPU < r.OwnCPU || r.MachineCPU < last.MachineCPU {
			t.Fatalf("the machine's CPU time fell, or is below ours: %+v", r)
		}
		last = r
		return control.Decision{Limit: 4}
	}))
	if err != nil || finer == 0 {
		t.Errorf("%d figures are finer than 10 ms; error %v", finer, err)
	}
	if others := last.MachineCPU - last.OwnCPU; !closeTo(others, last.At.Seconds(), 0.02) {
		t.Errorf("others used %v s of CPU in %v", others, last.At)
	}
}

func TestWholeTicks(t *testing.T) {
	for seconds, want := range map[float64]float64{0: 0, 0.0099: 0, 0.01: 0.01, 0.3: 0.3, 1.2399: 1.23, 7e4 + 0.001: 7e4} {
		if got := sim.WholeTicks(seconds); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v s reads as %v, want %v", seconds, got, want)
		}
	}
}
