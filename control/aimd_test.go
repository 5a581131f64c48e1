package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Three calm windows, then one in which the work says "too much".
func ExampleNewAIMD() {
	c := control.NewAIMD(0.9)
	c.Initial = 10
	r := control.Reading{Limit: 4, CPUs: 4}
	for range 4 {
		d := c.Next(r)
		fmt.Println(d.Reason)
		r.Limit, r.InFlight, r.Waiting = d.Limit, d.Limit, 1
		r.At += 100 * time.Millisecond
		r.Completed += 50
	}
	r.Overloads++
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 10
	// 10→11: no sign of congestion
	// 11→12: no sign of congestion
	// 12→13: no sign of congestion
	// 13→11: the work reported overload
}

// A window goes on until ten units have ended.
func ExampleAIMD_Next() {
	c := control.NewAIMD(0.5)
	for _, r := range []control.Reading{
		{Limit: 20, CPUs: 4},
		{Limit: 20, CPUs: 4, At: 60 * time.Millisecond, Completed: 3, Waiting: 1}, // too early
		{Limit: 20, CPUs: 4, At: 100 * time.Millisecond, Completed: 9, Waiting: 1},
		{Limit: 20, CPUs: 4, At: 110 * time.Millisecond, Completed: 10, Waiting: 1},
	} {
		d := c.Next(r)
		fmt.Println(d.Limit, d.After)
	}
	// Output:
	// 20 100ms
	// 20 40ms
	// 20 10ms
	// 21 100ms
}

func TestAIMDManual(t *testing.T) {
	f := feedWindows(control.NewAIMD(0.9), 4)
	if f.r.Limit != 20 {
		t.Fatalf("begins at %d, want 20", f.r.Limit)
	}
	const calm = 10 * time.Millisecond
	for i, s := range []struct {
		each      time.Duration
		overloads int
		inUse     int
		limit     int
	}{
		{calm, 0, 0, 21},
		{calm, 0, 0, 22},
		{calm, 1, 0, 19},            // 19.8
		{5 * time.Second, 0, 0, 20}, // not over the timeout
		{5001 * time.Millisecond, 0, 0, 18},
		{calm, 0, 8, 19},  // fewer in use, but not from the beginning
		{calm, 0, 9, 19},  // less than half in use
		{calm, 0, 10, 20}, // half
		{calm, 9, 0, 18},  // once a window, however many say so
		{calm, 1, 8, 16},  // 16.2, whatever is in use
	} {
		f.inUse = s.inUse
		if d := f.window(50, s.each, s.overloads); d.Limit != s.limit {
			t.Fatalf("step %d: limit %d, want %d", i+1, d.Limit, s.limit)
		}
	}
}

func TestAIMDFallsToOne(t *testing.T) {
	for _, decrease := range []float64{0.1, 0.5, 0.99} {
		f := feedWindows(control.NewAIMD(decrease), 4)
		for range 20 {
			f.window(0, 0, 10)
		}
		if f.r.Limit != 1 {
			t.Errorf("decrease %v: limit %d after 20 windows of nothing but overload, want 1", decrease, f.r.Limit)
		}
	}
}

func TestAIMDSlow(t *testing.T) {
	c := control.NewAIMD(0.5)
	c.Slow, c.Initial = 2, 0
	f := feedWindows(c, 30)
	for i, s := range []struct{ ms, limit int }{
		{20, 31}, // the quickest so far
		{40, 32}, // twice that is not more than twice
		{41, 16},
		{10, 17}, // the quickest now
		{21, 8},
		{20, 9},
	} {
		if d := f.window(50, time.Duration(s.ms)*time.Millisecond, 0); d.Limit != s.limit {
			t.Fatalf("step %d: limit %d, want %d", i+1, d.Limit, s.limit)
		}
	}
}

// Without times in flight Little's law tells them.
func TestAIMDSlowByOccupancy(t *testing.T) {
	c := control.NewAIMD(0.5)
	c.Slow, c.Initial = 2, 0
	r := control.Reading{Limit: 10, CPUs: 4, Waiting: 1}
	r.Limit = c.Next(r).Limit
	for i, s := range []struct {
		units int64
		limit int
	}{
		{100, 11}, // 1 s in flight in all, 10 ms each
		{55, 12},  // 1.1 s, 20 ms
		{57, 6},   // 1.2 s, 21.1 ms
	} {
		r.Occupancy += 0.1 * float64(r.Limit)
		r.Completed += s.units
		r.At += 100 * time.Millisecond
		if r.Limit = c.Next(r).Limit; r.Limit != s.limit {
			t.Fatalf("step %d: limit %d, want %d", i+1, r.Limit, s.limit)
		}
	}
}

// Nothing ever says "too much" here, so the law as published rises to its
// maximum. With Slow it swings below twice what the server takes at a time.
func TestAIMDOnAServer(t *testing.T) {
	c := control.NewAIMD(0.9)
	c.Max = 200
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.run(c, 4, 30*time.Second)
	if p.r.Limit != 200 {
		t.Errorf("limit %d without a sign of congestion, want the maximum 200", p.r.Limit)
	}

	c = control.NewAIMD(0.9)
	c.Slow, c.Initial = 2, 0
	s := newSweep()
	p = &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.run(c, 4, 30*time.Second)
	p.see = s.see
	p.run(c, 4, 60*time.Second)
	if s.least < 25 || s.least > 30 || s.most < 32 || s.most > 35 {
		t.Errorf("limit from %d to %d, want from some 29 to some 33", s.least, s.most)
	}
}

// What the analysis of 1989 proves: two users who only hear that it is too much
// come to equal shares, from whatever they begin with.
func TestAIMDIsFair(t *testing.T) {
	a, b := control.NewAIMD(0.9), control.NewAIMD(0.9)
	a.Initial, b.Initial = 0, 0
	x, y := feedWindows(a, 100), feedWindows(b, 5)
	for range 1000 {
		overloads := 0
		if x.r.Limit+y.r.Limit > 120 {
			overloads = 1
		}
		x.window(50, 10*time.Millisecond, overloads)
		y.window(50, 10*time.Millisecond, overloads)
	}
	if d := x.r.Limit - y.r.Limit; d < -5 || d > 5 || x.r.Limit < 40 {
		t.Errorf("limits %d and %d, want nearly the same, about 55", x.r.Limit, y.r.Limit)
	}
}

func TestAIMDHasAMaximum(t *testing.T) {
	c := control.NewAIMD(0.9)
	c.Max = 12
	f := feedWindows(c, 4)
	if f.r.Limit != 12 {
		t.Errorf("begins at %d, want the maximum 12", f.r.Limit)
	}
	if d := f.window(50, time.Millisecond, 0); d.Limit != 12 {
		t.Errorf("limit %d, want the maximum 12", d.Limit)
	}
	f.r.Limit = 40
	if d := f.window(50, time.Millisecond, 0); d.Limit != 40 {
		t.Errorf("limit %d set by others above the maximum, want 40: raising is no way to lower", d.Limit)
	}
}

func TestAIMDRefusesOddNumbers(t *testing.T) {
	for _, b := range []float64{0, 1, -0.5, math.NaN()} {
		mustPanic(t, fmt.Sprintf("control: NewAIMD(%v): want a factor above 0 and below 1, such as 0.9", b),
			func() { control.NewAIMD(b) })
	}
}
