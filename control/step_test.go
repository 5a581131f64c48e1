package control_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Each unit uses one of 8 CPUs and the target is half of them: the limit rises
// to 4, rests there for the hold time, is lowered, misses, and comes back.
func ExampleNewStep() {
	c := control.NewStep(50)
	c.Hold = 300 * time.Millisecond
	limits := cpuBound(8).run(c, 1, 1500*time.Millisecond)
	for i := 0; i < len(limits); i += 10 { // one a period
		fmt.Print(limits[i], " ")
	}
	// Output: 1 2 3 4 4 4 4 3 4 4 4 4 3 4 4
}

func ExampleStep_Next() {
	c := control.NewStep(50)
	r := control.Reading{Limit: 2, CPUs: 8, Waiting: 1}
	fmt.Println(c.Next(r).Reason)
	r.At, r.OwnCPU = 100*time.Millisecond, 0.2 // 2 of 8 CPUs
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 2
	// 2→3: own CPU at 25 %, target 50 %
}

func TestStepFollowsTheWork(t *testing.T) {
	plant := cpuBound(16)
	plant.busy = func(limit int, at time.Duration) float64 {
		if at > 10*time.Second { // half as many CPUs per unit
			return min(16, float64(limit)/2)
		}
		return min(16, float64(limit))
	}
	limits := plant.run(control.NewStep(75), 1, 30*time.Second)
	if got := slices.Max(limits[:1000]); got != 12 {
		t.Errorf("highest limit %d in the first 10 s, want 12: 75 %% of 16 CPUs", got)
	}
	if got := lastThird(limits); got < 23 || got > 24 {
		t.Errorf("mean limit %v at the end, want nearly 24", got)
	}
}

func TestStepLowersAfterAWhile(t *testing.T) {
	limits := cpuBound(4).run(control.NewStep(100), 20, 10*time.Second)
	if limits[90] != 20 {
		t.Errorf("limit %d within the hold time, want 20 as at the start", limits[90])
	}
	if got := lastThird(limits); got < 3.5 || got > 4 {
		t.Errorf("mean limit %v at the end, want nearly 4", got)
	}
}

func TestStepRisesNoFurtherThanThereIsWork(t *testing.T) {
	plant := cpuBound(16)
	plant.demand = 5
	limits := plant.run(control.NewStep(90), 1, 10*time.Second)
	if got := slices.Max(limits); got > 6 {
		t.Errorf("highest limit %d with 5 units of work, want at most one permit more", got)
	}
}

func TestStepHasAMaximum(t *testing.T) {
	waiting := cpuPlant{cpus: 4, busy: func(int, time.Duration) float64 { return 0 }}
	c := control.NewStep(90)
	c.Max = 12
	if got := slices.Max(waiting.run(c, 1, 10*time.Second)); got != 12 {
		t.Errorf("highest limit %d, want the maximum 12", got)
	}
	if d := c.Next(control.Reading{At: time.Minute, Limit: 40, CPUs: 4, Waiting: 1}); d.Limit != 40 {
		t.Errorf("limit %d set by others above the maximum, want 40: raising is no way to lower", d.Limit)
	}
}

func TestStepZeroFieldsMeanDefaults(t *testing.T) {
	a, b := control.NewStep(50), control.NewStep(50)
	b.Period, b.Hold, b.Max = 0, 0, 0
	plant := cpuBound(8)
	if x, y := plant.run(a, 1, 5*time.Second), plant.run(b, 1, 5*time.Second); !slices.Equal(x, y) {
		t.Error("zero fields behave unlike the defaults")
	}
}

func TestStepRefusesOddTargets(t *testing.T) {
	for _, target := range []float64{0, -5, 101} {
		mustPanic(t, fmt.Sprintf("control: NewStep(%v): want a CPU usage in percent, above 0 and at most 100", target),
			func() { control.NewStep(target) })
	}
}
