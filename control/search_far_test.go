package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// filling is work of two equally fast queues, one of them the CPUs: n units keep them busy
// for n/(n+1) of the time.
func filling(cpus, each float64) func(int, time.Duration) float64 {
	return func(n int, _ time.Duration) float64 { return cpus / each * float64(n) / float64(n+1) }
}

// CPUs that fill slowly gain little with each step, and much in the end.
func TestSlowlyFillingCPUs(t *testing.T) {
	p := &fluid{cpus: 4, cpu: 200e-6}
	p.rate = filling(p.cpus, p.cpu)
	c := control.NewSearch()
	seen := newSweep()
	p.see = seen.see
	p.run(c, 4, 30*time.Second)
	// 49 units have 98 % of the most; small steps alone end at some 12, with 92 %.
	if home := c.Home(); home < 25 || home > 98 {
		t.Errorf("the limit stands at %d, want 25 to 98: 49 have 98 %% of the most", home)
	}
	if seen.most > 4*49 {
		t.Errorf("up to %d units", seen.most)
	}
}

// Where others work on the same CPUs and do not work for us, what is idle is not all
// ours: no look far above comes of it.
func TestNoLookFarBesideANeighbour(t *testing.T) {
	p := &fluid{cpus: 4, cpu: 200e-6}
	p.rate = func(n int, _ time.Duration) float64 { return 0.5 * p.cpus / p.cpu * min(1, float64(n)/6) }
	p.edit = func(r *control.Reading) { r.MachineCPU = r.OwnCPU + 0.4*p.cpus*r.At.Seconds() }
	c := control.NewSearch()
	p.run(c, 4, 5*time.Second)
	seen := newSweep()
	p.see = seen.see
	p.run(c, 0, 40*time.Second)
	if seen.most > 2*c.Home() {
		t.Errorf("the limit stands at %d and went up to %d", c.Home(), seen.most)
	}
}

// Steps down give away no more than a part of what a look has found.
func TestSlope(t *testing.T) {
	var s control.Slope
	if got := s.Left(0.028); got != 0.028 {
		t.Errorf("before any look a step may lose %v, want what it always may, 0.028", got)
	}
	s.Found(0)
	sum := 0.0
	for range 5 {
		left := s.Left(0.028)
		sum += left
		s.Step(-left)
	}
	if math.Abs(sum-control.FarLoss) > 1e-9 {
		t.Errorf("all steps together may lose %v, want %v", sum, control.FarLoss)
	}
	s.Step(0.004)
	if got := s.Left(0.028); math.Abs(got-0.004) > 1e-9 {
		t.Errorf("after a step up that gained 0.004 a step may lose %v, want that", got)
	}
	s.Found(0.003)
	if got := s.Left(0.028); math.Abs(got-(control.FarLoss-0.003)) > 1e-9 {
		t.Errorf("0.003 below what a look saw a step may lose %v, want the rest of %v", got, control.FarLoss)
	}
	s.Found(1)
	if got := s.Left(0.028); got != 0 {
		t.Errorf("far below what a look saw a step may lose %v, want nothing", got)
	}
}
