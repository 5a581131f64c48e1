package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Two quick windows raise the limit by 0.8 each, a slow one takes a fifth of
// what the gradient asks for.
func ExampleNewGradient2() {
	c := control.NewGradient2(1.5)
	r := control.Reading{Limit: 4, CPUs: 4}
	for _, ms := range []float64{10, 10, 10, 100} {
		if d := c.Next(r); d.Reason.Kind != control.None {
			fmt.Println(d.Reason)
			r.Limit = d.Limit
		}
		r.InFlight, r.Waiting = r.Limit, 1
		r.At += 100 * time.Millisecond
		r.Timed, r.Completed = r.Timed+100, r.Completed+100
		r.Residence += 100 * ms / 1000
	}
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 20
	// 20→21: units take 10 ms; long-term average 10 ms
	// 21→22: units take 10 ms; long-term average 10 ms
	// 22→20: units take 100 ms; long-term average 32.5 ms
}

// A window goes on until ten units have ended.
func ExampleGradient2_Next() {
	c := control.NewGradient2(1.5)
	for _, r := range []control.Reading{
		{Limit: 20, CPUs: 4},
		{Limit: 20, CPUs: 4, At: 100 * time.Millisecond, Completed: 9, Timed: 9, Residence: 0.09, Waiting: 1},
		{Limit: 20, CPUs: 4, At: 110 * time.Millisecond, Completed: 10, Timed: 10, Residence: 0.1, Waiting: 1},
		{Limit: 20, CPUs: 4, At: 210 * time.Millisecond, Completed: 20, Timed: 20, Residence: 0.2, Waiting: 1},
	} {
		d := c.Next(r)
		fmt.Println(d.Limit, d.After)
	}
	// Output:
	// 20 100ms
	// 20 10ms
	// 20 100ms
	// 21 100ms
}

// L' = 0.8·L + 0.2·(g·L + 4), with g = 1.5·M/R within 0.5 … 1.
func TestGradient2Manual(t *testing.T) {
	c := control.NewGradient2(1.5)
	f := feedWindows(c, 4)
	for i, s := range []struct {
		ms    int
		inUse int
		limit int
		long  float64 // ms
	}{
		{10, 0, 20, 10},            // g 1: 20.8
		{10, 0, 21, 10},            // 21.6
		{30, 0, 21, 50.0 / 3},      // g 0.833: 17.28 + 0.2·(18 + 4) = 21.68
		{100, 0, 20, 150.0 / 4},    // g 0.5625: 17.344 + 0.2·(12.195 + 4) = 20.583
		{200, 0, 19, 350.0 / 5},    // g 0.525: 16.466 + 0.2·(10.806 + 4) = 19.428
		{1000, 9, 18, 1350.0 / 6},  // g 0.5, not 0.338: 15.542 + 0.2·(9.714 + 4) = 18.285
		{1000, 9, 18, 2350.0 / 7},  // less than half in use
		{1000, 0, 17, 3350.0 / 8},  // g 0.628: 14.628 + 0.2·(11.485 + 4) = 17.725
		{9000, 0, 16, 12350.0 / 9}, // g 0.5: 14.180 + 0.2·(8.863 + 4) = 16.753
		{10, 0, 17, 0.95 * 1236},   // g 1: 17.55; M is more than twice R
		// From the eleventh on a window counts 2/601.
		{10, 0, 18, 1111.80949},  // 18.35; 0.95·(1174.2 - 2/601·1164.2)
		{900, 0, 19, 1111.10464}, // 19.15; no more than twice
	} {
		f.inUse = s.inUse
		d := f.window(50, time.Duration(s.ms)*time.Millisecond, 0)
		if long := c.LongTerm().Seconds() * 1000; d.Limit != s.limit || math.Abs(long-s.long) > 1e-3 {
			t.Fatalf("step %d: limit %d, mean %v ms; want %d and %v ms", i+1, d.Limit, long, s.limit, s.long)
		}
	}
}

// The published law does not look at overloads.
func TestGradient2IgnoresOverloads(t *testing.T) {
	f := feedWindows(control.NewGradient2(1.5), 20)
	for range 5 {
		f.window(50, 10*time.Millisecond, 7)
	}
	if f.r.Limit != 24 {
		t.Errorf("limit %d after five quick windows, want 24", f.r.Limit)
	}
	if d := f.window(0, 0, 20); d.Limit != 24 {
		t.Errorf("limit %d after a window of which no time is known, want 24", d.Limit)
	}
}

// On a server that takes 16 units at a time the law goes past the tolerance, and
// then on: the mean takes the load for normal. The first minute is a race of the
// limit with the mean, which the limit wins.
func TestGradient2OnAServer(t *testing.T) {
	limitAt := func(tolerance float64, until time.Duration) int {
		c := control.NewGradient2(tolerance)
		c.Initial = 0
		p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
		p.run(c, 8, until)
		return p.r.Limit
	}
	if got := limitAt(1.5, 2*time.Second); got < 16 || got > 30 {
		t.Errorf("tolerance 1.5: limit %d after 2 s, want what the server takes and not much more", got)
	}
	for _, tolerance := range []float64{1, 1.5} {
		early, late := limitAt(tolerance, 20*time.Second), limitAt(tolerance, 4*time.Minute)
		if early < 16 || late < early+5 {
			t.Errorf("tolerance %v: limit %d after 20 s and %d after 4 min, want 16 at least, and a rise", tolerance, early, late)
		}
	}
}

func TestGradient2HasAMaximum(t *testing.T) {
	c := control.NewGradient2(1.5)
	c.Max = 30
	f := feedWindows(c, 4)
	for range 100 {
		f.window(50, 10*time.Millisecond, 0)
	}
	if f.r.Limit != 30 {
		t.Errorf("limit %d, want the maximum 30", f.r.Limit)
	}
}

// A limit that the caller clamps is the law's own from then on.
func TestGradient2FollowsTheCaller(t *testing.T) {
	f := feedWindows(control.NewGradient2(1.5), 20)
	f.window(50, time.Millisecond, 0)
	f.r.Limit = 30
	for _, want := range []int{30, 31, 32, 33, 34} { // 0.8 each
		if d := f.window(50, time.Millisecond, 0); d.Limit != want {
			t.Fatalf("limit %d, want %d", d.Limit, want)
		}
	}
}

func TestGradient2RefusesOddNumbers(t *testing.T) {
	for _, tolerance := range []float64{0.99, 0, -1, math.NaN(), math.Inf(1)} {
		mustPanic(t, fmt.Sprintf("control: NewGradient2(%v): want a tolerance of at least 1, such as 1.5", tolerance),
			func() { control.NewGradient2(tolerance) })
	}
}
