package control_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// CPU-bound work is given half of 8 CPUs.
func ExampleNewFixedTarget() {
	c := control.NewFixedTarget(50)
	limits := cpuBound(8).run(c, 8, 5*time.Second)
	fmt.Println(limits[len(limits)-1])
	// Output: 4
}

func ExampleFixedTarget_Next() {
	c := control.NewFixedTarget(50)
	r := control.Reading{Limit: 8, CPUs: 8, InFlight: 8}
	fmt.Println(c.Next(r).Reason)
	r.At, r.OwnCPU = 100*time.Millisecond, 0.8 // all 8 CPUs
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 8
	// 8→6: own CPU at 100 %, target 50 %
}

// One gain fits small and large machines, and any way to miss the target.
func TestFixedTargetSettles(t *testing.T) {
	for _, cpus := range []int{2, 4, 16, 256} {
		for _, start := range []int{1, cpus, 20 * cpus} {
			limits := cpuBound(cpus).run(control.NewFixedTarget(50), start, 10*time.Second)
			want := float64(cpus) / 2
			if got := lastThird(limits); math.Abs(got-want) > 0.05*want {
				t.Errorf("%d CPUs from %d: mean limit %v at the end, want %v", cpus, start, got, want)
			}
		}
	}
}

// Between two whole numbers the limit alternates, so that the mean is right.
func TestFixedTargetHoldsTheMean(t *testing.T) {
	limits := cpuBound(4).run(control.NewFixedTarget(60), 1, 30*time.Second)
	if got := lastThird(limits); math.Abs(got-2.4) > 0.1 {
		t.Errorf("mean limit %v, want 2.4: 60 %% of 4 CPUs", got)
	}
	if got := limits[len(limits)-200:]; slices.Min(got) != 2 || slices.Max(got) != 3 {
		t.Errorf("limits from %d to %d, want 2 to 3", slices.Min(got), slices.Max(got))
	}
}

// Others use the CPUs for a while: the work makes room and comes back.
func TestFixedTargetMakesRoom(t *testing.T) {
	c := control.NewFixedTarget(75)
	c.Metric = control.MachineCPU
	plant := cpuPlant{cpus: 8, busy: func(limit int, at time.Duration) float64 {
		if at > 5*time.Second && at < 10*time.Second {
			return min(8, 4+float64(limit))
		}
		return min(8, float64(limit))
	}}
	limits := plant.run(c, 1, 15*time.Second)
	for _, c := range []struct{ at, want int }{{499, 6}, {999, 2}, {1499, 6}} {
		if got := limits[c.at]; got != c.want {
			t.Errorf("limit %d at %d ms, want %d", got, 10*c.at, c.want)
		}
	}
}

func TestFixedTargetRisesNoFurtherThanThereIsWork(t *testing.T) {
	plant := cpuBound(16)
	plant.demand = 5
	if got := slices.Max(plant.run(control.NewFixedTarget(90), 1, 10*time.Second)); got > 10 {
		t.Errorf("highest limit %d with 5 units of work, want at most one step beyond", got)
	}
}

func TestFixedTargetHasAMaximum(t *testing.T) {
	waiting := cpuPlant{cpus: 4, busy: func(int, time.Duration) float64 { return 0 }}
	c := control.NewFixedTarget(90)
	c.Max = 12
	limits := waiting.run(c, 1, 10*time.Second)
	if got := limits[len(limits)-1]; got != 12 || slices.Max(limits) != 12 {
		t.Errorf("limit %d, highest %d, want the maximum 12", got, slices.Max(limits))
	}
}

// A limit that the caller holds down must not be remembered as if it stood.
func TestFixedTargetStartsFromTheLimitInForce(t *testing.T) {
	c := control.NewFixedTarget(50)
	r := control.Reading{Limit: 4, CPUs: 8, Waiting: 1}
	c.Next(r)
	for range 100 { // asked for more, but vetoed
		r.At += 100 * time.Millisecond
		c.Next(r)
	}
	r.At += 100 * time.Millisecond
	r.OwnCPU += 0.6
	if d := c.Next(r); d.Limit >= 4 {
		t.Errorf("limit %d at 75 %% usage, want less than the 4 in force", d.Limit)
	}
}

func TestFixedTargetRefusesOddTargets(t *testing.T) {
	for _, target := range []float64{0, -5, 101} {
		mustPanic(t, fmt.Sprintf("control: NewFixedTarget(%v): want a CPU usage in percent, above 0 and at most 100", target),
			func() { control.NewFixedTarget(target) })
	}
}
