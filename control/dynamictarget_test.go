package control_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleNewDynamicTarget() {
	c := control.NewDynamicTarget(0.1, 0.3)
	c.Metric = control.MachineCPU // as published; the talk says the application's own
	c.Max = 512
	r := control.Reading{Limit: 10, CPUs: 2}
	fmt.Println(c.Next(r).Reason)
	r.At, r.MachineCPU = 100*time.Millisecond, 0.1 // one of two CPUs
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 10
	// 10→11: machine CPU at 50 %, set point 52 %
}

func ExampleDynamicTarget_Next() {
	c := control.NewDynamicTarget(0.1, 0.3)
	for _, r := range []control.Reading{
		{Limit: 10, CPUs: 2},
		{Limit: 10, CPUs: 2, At: 50 * time.Millisecond, OwnCPU: 0.05}, // too early
		{Limit: 10, CPUs: 2, At: 100 * time.Millisecond, OwnCPU: 0.1},
	} {
		d := c.Next(r)
		fmt.Println(d.Limit, d.After)
	}
	// Output:
	// 10 100ms
	// 10 50ms
	// 11 100ms
}

func ExampleDynamicTarget_Usage() {
	c := control.NewDynamicTarget(0.1, 0.3)
	c.Next(control.Reading{Limit: 1, CPUs: 4})
	c.Next(control.Reading{Limit: 1, CPUs: 4, At: 100 * time.Millisecond, OwnCPU: 0.1})
	fmt.Println(c.Usage(), "%")
	// Output: 25 %
}

func ExampleDynamicTarget_SetPoint() {
	c := control.NewDynamicTarget(0.1, 0.3)
	c.Next(control.Reading{Limit: 1, CPUs: 4})
	c.Next(control.Reading{Limit: 1, CPUs: 4, At: 100 * time.Millisecond, OwnCPU: 0.1})
	fmt.Println(c.SetPoint(), "%")
	// Output: 27 %
}

// The steps of the law, worked out by hand for gain 0.1 and change rate 0.3:
// e = set point - usage, I = sum of e, D = e - previous e, u = 0.1·(e+I+D).
func TestDynamicTargetManual(t *testing.T) {
	c := control.NewDynamicTarget(0.1, 0.3)
	r := control.Reading{Limit: 10, CPUs: 2}
	c.Next(r)
	for i, s := range []struct{ usage, setPoint, limit float64 }{
		{50, 52, 11},   // from nothing: up.       e 2    I 2    D 2    u 0.6 → 1
		{50, 48, 10},   // the same: down.         e -2   I -2   D -4   u -0.8 → -1
		{50, 48, 9},    // the same.               e -2   I -2   D 0    u -0.4 → -1
		{40, 48, 12},   // a fifth less: stays.    e 8    I 6    D 10   u 2.4 → 3
		{60, 62, 11},   // half as much more: up.  e 2    I 2    D -6   u -0.2 → -1
		{0, -100, 1},   // nothing.                e -100 I -100 D -102 u -30.2 → -31
		{0, -100, 1},   // nothing still.          e -100 I -100 D 0    u -20
		{30, 32, 12},   // work again: up.         e 2    I 2    D 102  u 10.6 → 11
		{100, 102, 13}, // saturated.              e 2    I 2    D 0    u 0.4 → 1
		{100, 98, 12},  // still: down.            e -2   I -2   D -4   u -0.8 → -1
	} {
		r.At += 100 * time.Millisecond
		r.OwnCPU += s.usage / 100 * 0.2
		r.Limit = c.Next(r).Limit
		if c.Usage() != s.usage || c.SetPoint() != s.setPoint || float64(r.Limit) != s.limit {
			t.Fatalf("step %d: usage %v, set point %v, limit %d; want %+v", i+1, c.Usage(), c.SetPoint(), r.Limit, s)
		}
	}
}

// The law lives on two equal usages. Fine counters and a timer that is late
// must not hide that all CPUs are busy.
func TestDynamicTargetSeesSaturationThroughJitter(t *testing.T) {
	c := control.NewDynamicTarget(0.1, 0.3)
	r := control.Reading{Limit: 8, CPUs: 4}
	c.Next(r)
	for i := range 10 {
		late := time.Duration(i*137%900) * time.Microsecond
		r.At += 100*time.Millisecond + late
		r.OwnCPU += 4 * (0.1 + late.Seconds()) * 0.995
		c.Next(r)
	}
	if c.Usage() != 100 || c.SetPoint() != 98 {
		t.Errorf("usage %v, set point %v; want 100 and 98", c.Usage(), c.SetPoint())
	}
}

// On CPU-bound work of a few CPUs the published law does find its way.
func TestDynamicTargetOnCPUBoundWork(t *testing.T) {
	for _, gain := range []float64{0.1, 0.2, 0.3} {
		limits := cpuBound(4).run(control.NewDynamicTarget(gain, 0.3), 1, 60*time.Second)
		if got := lastThird(limits); got < 3 || got > 24 {
			t.Errorf("gain %v: mean limit %v at the end, want about 4", gain, got)
		}
	}
}

// No work pulls the limit to 1, but not for ever.
func TestDynamicTargetComesBackFromIdle(t *testing.T) {
	plant := cpuPlant{cpus: 4, busy: func(limit int, at time.Duration) float64 {
		if at > 5*time.Second && at < 10*time.Second {
			return 0
		}
		return min(4, float64(limit))
	}}
	limits := plant.run(control.NewDynamicTarget(0.1, 0.3), 4, 30*time.Second)
	if got := limits[990]; got != 1 {
		t.Errorf("limit %d after 5 s without work, want 1", got)
	}
	if got := lastThird(limits); got < 3 {
		t.Errorf("mean limit %v at the end, want about 4 again", got)
	}
}

// Work that waits makes the published law grow without end.
func TestDynamicTargetHasAMaximum(t *testing.T) {
	noisy := cpuPlant{cpus: 4, busy: func(_ int, at time.Duration) float64 {
		return 0.5 + 0.4*float64(at/(100*time.Millisecond)%2)
	}}
	c := control.NewDynamicTarget(0.3, 0.3)
	c.Max = 30
	limits := noisy.run(c, 1, 60*time.Second)
	if got := slices.Max(limits); got != 30 {
		t.Errorf("highest limit %d, want the maximum 30", got)
	}
	if got := slices.Min(limits); got < 1 {
		t.Errorf("lowest limit %d, want at least 1", got)
	}
}

// The highest gain stays within the default bounds.
func TestDynamicTargetWithTheHighestGain(t *testing.T) {
	c := control.NewDynamicTarget(1000, 0.3)
	c.Max = 0 // the default
	r := control.Reading{Limit: 10, CPUs: 2}
	c.Next(r)
	r.At, r.OwnCPU = 100*time.Millisecond, 0.1
	if r.Limit = c.Next(r).Limit; r.Limit != 10+3*2*1000 {
		t.Errorf("limit %d, want three gains for each of two points more", r.Limit)
	}
	r.At = 200 * time.Millisecond
	if r.Limit = c.Next(r).Limit; r.Limit != 1 {
		t.Errorf("limit %d without usage, want 1", r.Limit)
	}
	r.At, r.OwnCPU = 300*time.Millisecond, 0.2
	if r.Limit = c.Next(r).Limit; r.Limit != 100_000 {
		t.Errorf("limit %d when work comes back, want the maximum", r.Limit)
	}
}

// A period below the counters' step has no whole ticks.
func TestDynamicTargetWithAShortPeriod(t *testing.T) {
	c := control.NewDynamicTarget(0.1, 0.3)
	c.Period = time.Millisecond
	c.Next(control.Reading{Limit: 4, CPUs: 2})
	c.Next(control.Reading{Limit: 4, CPUs: 2, At: time.Millisecond, OwnCPU: 0.001})
	if got := c.Usage(); math.Abs(got-50) > 1e-9 {
		t.Errorf("usage %v, want 50", got)
	}
}

func TestDynamicTargetRefusesOddNumbers(t *testing.T) {
	for _, gain := range []float64{0, -0.1, math.NaN(), math.Inf(1), 1001} {
		mustPanic(t, fmt.Sprintf("control: NewDynamicTarget: gain %v: must be over 0 and at most 1000, such as 0.1", gain),
			func() { control.NewDynamicTarget(gain, 0.3) })
	}
	for _, rate := range []float64{-0.1, math.NaN()} {
		mustPanic(t, fmt.Sprintf("control: NewDynamicTarget: change rate %v: must be 0 or more, such as 0.3", rate),
			func() { control.NewDynamicTarget(0.1, rate) })
	}
}
