package sense_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestBoundPace(t *testing.T) {
	for name, c := range map[string]struct {
		peak              int
		used, room, least float64
		want              int
	}{
		"half as much again fits":          {10, 100, 50, 0, 15},
		"far away is not mentioned":        {10, 100, 1000, 0, 0},
		"one more while there is room":     {10, 1000, 1, 0, 11},
		"units known to be small":          {10, 1000, 80, 8, 20},
		"nothing left":                     {10, 100, 0, 8, 10},
		"overdrawn":                        {10, 100, -5, 8, 10},
		"nothing used":                     {2, 0, 100, 0, 0},
		"a small crowd in a large process": {2, 1e9, 5e8, 0, 3},
	} {
		var b sense.Bound
		if got := b.Pace(c.peak, c.used, c.room, c.least); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestBoundIsNoDeadEnd grows a crowd whose units need nothing inside a process
// that holds much: the bound must let it through.
func TestBoundIsNoDeadEnd(t *testing.T) {
	var b sense.Bound
	peak := 2
	for looks := 0; peak < 10_000; looks++ {
		if looks > 60 {
			t.Fatalf("still at %d after %d looks", peak, looks)
		}
		next := b.Pace(peak, 10e9, 2e9, 0)
		if next == 0 {
			next = 4 * peak
		}
		if next <= peak {
			t.Fatalf("stuck at %d", peak)
		}
		peak = next
	}
}

func TestBoundHoldIgnoresLulls(t *testing.T) {
	var b sense.Bound
	for _, peak := range []int{16, 12, 3, 1, 20} {
		if got := b.Hold(peak); got != 16 {
			t.Errorf("crowd of %d: held at %d, want 16", peak, got)
		}
	}
}

func TestBoundCutWaitsForItsEffect(t *testing.T) {
	var b sense.Bound
	if got := b.Cut(16, 16); got != 12 {
		t.Fatalf("first cut to %d, want 12", got)
	}
	for range 5 {
		if got := b.Cut(16, 16); got != 12 {
			t.Fatalf("cut again to %d while 16 still run", got)
		}
	}
	if got := b.Cut(16, 12); got != 9 {
		t.Errorf("second cut to %d, want 9", got)
	}
	for range 100 {
		b.Cut(1, 0)
	}
	if got := b.Cut(1, 0); got != 1 {
		t.Errorf("cut to %d, want never below 1", got)
	}
}

// TestBoundCutIgnoresLulls: how many run at the moment of the look is chance.
func TestBoundCutIgnoresLulls(t *testing.T) {
	for _, inFlight := range []int{16, 12, 2, 0} {
		var b sense.Bound
		if got := b.Cut(16, inFlight); got != 12 {
			t.Errorf("%d of 16 in flight: cut to %d, want 12", inFlight, got)
		}
	}
	var b sense.Bound
	b.Hold(16)
	if got := b.Cut(4, 4); got != 3 {
		t.Errorf("a crowd that has been 4 for long: cut to %d, want 3", got)
	}
	// A lull shows no effect of a cut. What has lasted longer than the memory of the crowd is none.
	b = sense.Bound{}
	for n, look := range []struct{ peak, inFlight, want int }{
		{16, 0, 12}, {16, 0, 12}, {16, 5, 12}, {16, 12, 9}, {16, 7, 6}, {16, 3, 6}, {6, 0, 4}, {1, 0, 1},
	} {
		if got := b.Cut(look.peak, look.inFlight); got != look.want {
			t.Errorf("look %d: cut to %d, want %d", n+1, got, look.want)
		}
	}
}

func TestCrowdRemembersPeak(t *testing.T) {
	var c sense.Crowd
	at := time.Hour
	if got := c.Peak(at, 0); got != 1 {
		t.Errorf("empty crowd: %d, want 1", got)
	}
	c.Peak(at, 8)
	if got := c.Peak(at+900*time.Millisecond, 2); got != 8 {
		t.Errorf("after 0.9 s: %d, want 8", got)
	}
	if got := c.Peak(at+1100*time.Millisecond, 2); got != 8 {
		t.Errorf("after 1.1 s: %d, want 8", got)
	}
	if got := c.Peak(at+2200*time.Millisecond, 2); got != 2 {
		t.Errorf("after 2.2 s: %d, want 2", got)
	}
	if got := c.Peak(at+time.Minute, 3); got != 3 {
		t.Errorf("after a minute: %d, want 3", got)
	}
}
