package control_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// seen is a detector with a reference: 1000 units/s, half of the CPUs idle.
func seen() (*control.Detector, control.Window) {
	d := control.NewDetector()
	w := control.Window{N: 16, T: 0.3, X: 1000, Comp: 300, CPUs: 4, U: 0.5, Idle: 0.5, CV2: 0.5}
	for range 10 {
		d.Alarm(w)
	}
	return d, w
}

func TestDetectorIsQuietWhenNothingChanges(t *testing.T) {
	d, w := seen()
	for i := range 1000 {
		u := w
		u.X *= 1 + d.SD(w)*0.5*float64(i%3-1) // within the noise
		if d.Alarm(u) {
			t.Fatalf("alarm at window %d", i)
		}
	}
}

func TestDetectorSeesALargeChangeAtOnce(t *testing.T) {
	for _, factor := range []float64{0.2, 4} {
		d, w := seen()
		w.X *= factor
		if !d.Alarm(w) {
			t.Errorf("throughput times %v: no alarm", factor)
		}
	}
}

// CUSUM: small changes add up, on both sides.
func TestDetectorSeesASmallLastingChange(t *testing.T) {
	for _, sign := range []float64{-1, 1} {
		d, w := seen()
		w.X *= 1 + sign*3*d.SD(w)
		if d.Alarm(w) {
			t.Errorf("%+v standard deviations: alarm at the first window", 3*sign)
		}
		n := 1
		for ; n < 30 && !d.Alarm(w); n++ {
		}
		if n == 30 {
			t.Errorf("%+v standard deviations: no alarm in 30 windows", 3*sign)
		}
	}
}

func TestDetectorSeesTheCPUs(t *testing.T) {
	d, w := seen()
	w.Idle, w.U = 0.1, 0.5 // a neighbour came
	if !d.Alarm(w) {
		t.Error("less idle time: no alarm")
	}
	d, w = seen()
	w.Q = 60 // timers go off together; there are idle CPUs
	if d.Alarm(w) {
		t.Error("units ready on a machine with idle CPUs: alarm")
	}
	d = control.NewDetector()
	w = control.Window{N: 16, T: 0.3, X: 1000, Comp: 300, CPUs: 4, U: 1, Q: 12}
	for range 10 {
		d.Alarm(w)
	}
	w.Q = 30
	if !d.Alarm(w) {
		t.Error("a longer queue for full CPUs: no alarm")
	}
}

// A move shifts the reference by what it gained, but by half an octave at most.
func TestDetectorFollowsAMove(t *testing.T) {
	d, w := seen()
	d.Shift(0.3)
	w.X *= 1.35
	for i := range 20 {
		if d.Alarm(w) {
			t.Fatalf("alarm at window %d after a move that gained as much", i)
		}
	}
	d, w = seen()
	d.Shift(2) // measured while the machine changed
	w.X *= 7.4
	if !d.Alarm(w) {
		t.Error("seven times the throughput is not what a step brings: no alarm")
	}
}

func TestIdleShare(t *testing.T) {
	d := control.NewDetector()
	if got := d.IdleShare(control.Window{U: 0.3, Idle: 0.1}); got < 0.249 || got > 0.251 {
		t.Errorf("without a reference: got %v, want 0.25 of the window", got)
	}
	d, w := seen()
	w.U, w.Idle = 1, 0
	if got := d.IdleShare(w); got < 0.49 || got > 0.51 {
		t.Errorf("got %v, want 0.5 of the reference", got)
	}
}
