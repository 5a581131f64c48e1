package sim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// parse returns the one scenario in text, on 4 CPUs unless it says otherwise.
func parse(t *testing.T, text string) sim.Scenario {
	t.Helper()
	s, err := sim.Parse(strings.NewReader("scenario test\nseconds 60\nnoise 0\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return s[0]
}

// closeTo reports whether a is b within a share of b.
func closeTo(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b) }

// Little's law: units in flight = throughput x residence.
func TestLittlesLaw(t *testing.T) {
	rerun.Skip(t)
	s := parse(t, "cpus 4\nwait ln(5ms, 1)\nservice exp(10ms)\nservers 8\ncpu ln(1ms, 1)\nslow 1 + n/100")
	for _, n := range []int{1, 8, 30} {
		m := sim.Measure(s, 0, n, 3, 2000, 20_000)
		if !closeTo(m.Rate*m.Residence, float64(n), 0.005) || !closeTo(m.Occupancy, float64(n), 1e-9) {
			t.Errorf("n = %d: in flight %v, rate x residence = %v", n, m.Occupancy, m.Rate*m.Residence)
		}
		if !closeTo(m.Bound, 1, 1e-9) {
			t.Errorf("n = %d: bound %v of the time, want always", n, m.Bound)
		}
	}
	open := parse(t, "cpus 4\nwait ln(5ms, 1)\ncpu ln(1ms, 1)\narrivals 1000")
	p := sim.NewPlant(open, 3, 1000)
	var area float64
	for i := range 40_000 {
		p.Advance(float64(i+1) / 2000)
		area += float64(p.InFlight()) / 2000
	}
	if sum, _, _ := p.Residence(); !closeTo(area, sum, 0.02) {
		t.Errorf("open: integral of units in flight %v, sum of residences %v", area, sum)
	}
	if !closeTo(float64(p.Completed()), 20_000, 0.02) || p.Bound() != 0 {
		t.Errorf("open: %d completed of about 20000, bound for %v s", p.Completed(), p.Bound())
	}
}

// The utilisation law: cores busy = throughput x CPU time, here stretched by
// the slowdown, which burns CPU.
func TestUtilisationLaw(t *testing.T) {
	s := parse(t, "cpus 4\nwait ln(9ms, 1)\ncpu ln(1ms, 1)\nslow 1 + n/40")
	for _, n := range []int{1, 20, 100} {
		m := sim.Measure(s, 0, n, 3, 2000, 40_000)
		if want := m.Rate * 0.001 * (1 + float64(n)/40); !closeTo(m.CPU, want, 0.02) {
			t.Errorf("n = %d: %v cores busy, want %v", n, m.CPU, want)
		}
	}
}

// A single server with equal services and 5 units: served in order, each unit
// is in flight for exactly 5 services. Any other order lets some stay longer.
func TestServiceIsFIFO(t *testing.T) {
	s := parse(t, "cpus 4\nservice const(10ms)\nservers 1")
	p := sim.NewPlant(s, 1, 5)
	p.Advance(0.5)
	sum0, squares0, _ := p.Residence()
	n0 := p.Completed()
	p.Advance(10)
	sum, squares, _ := p.Residence()
	n := float64(p.Completed() - n0)
	mean := (sum - sum0) / n
	if variance := (squares-squares0)/n - mean*mean; !closeTo(mean, 0.05, 1e-6) || math.Abs(variance) > 1e-9 {
		t.Errorf("mean residence %v s, variance %v; want 0.05 and 0", mean, variance)
	}
}

// 6 equal units on 2 cores share them: all end together after 3 times as long.
func TestProcessorSharing(t *testing.T) {
	s := parse(t, "cpus 2\ncpu const(10ms)")
	p := sim.NewPlant(s, 1, 6)
	p.Advance(0.0299)
	if p.Completed() != 0 || p.Runnable() != 4 {
		t.Errorf("before 30 ms: %d completed, %v runnable", p.Completed(), p.Runnable())
	}
	p.Advance(0.0301)
	if p.Completed() != 6 {
		t.Errorf("after 30 ms: %d completed, want 6", p.Completed())
	}
	if !closeTo(p.OwnCPU(), 0.0602, 1e-6) {
		t.Errorf("CPU %v s, want 0.0602", p.OwnCPU())
	}
}

// A change of speed holds for what is under way.
func TestNoiseScalesEverything(t *testing.T) {
	s := parse(t, "cpus 4\nwait const(10ms)")
	p := sim.NewPlant(s, 1, 1)
	p.Advance(0.004)
	p.SetNoise(0.5)
	p.Advance(0.0159)
	if p.Completed() != 0 {
		t.Error("completed too early")
	}
	p.Advance(0.0161)
	if p.Completed() != 1 {
		t.Error("did not complete at 4 + 6/0.5 = 16 ms")
	}
}

// Lowering the limit lets running units finish; raising it admits at once.
func TestSetLimit(t *testing.T) {
	s := parse(t, "cpus 4\nwait const(10ms)")
	p := sim.NewPlant(s, 1, 8)
	p.Advance(0.005)
	p.SetLimit(3)
	if p.InFlight() != 8 {
		t.Errorf("%d in flight right after lowering, want 8", p.InFlight())
	}
	p.Advance(0.0101)
	if p.InFlight() != 3 || p.Completed() != 8 || p.TimedSince() != 0 {
		t.Errorf("%d in flight, %d completed, %d of them since", p.InFlight(), p.Completed(), p.TimedSince())
	}
	p.SetLimit(5)
	if p.InFlight() != 5 {
		t.Errorf("%d in flight right after raising, want 5", p.InFlight())
	}
	p.Advance(0.0202) // the 3 of 10 ms end, and the 2 of 10.1 ms
	if _, _, since := p.Residence(); p.TimedSince() != 2 || !closeTo(since, 0.02, 1e-6) {
		t.Errorf("%d timed since the limit changed, with %v s; want 2 and 0.02", p.TimedSince(), since)
	}
}

// Phases change servers, cores and arrivals under way.
func TestEnter(t *testing.T) {
	s := parse(t, "cpus 4\nservice const(10ms)\nservers 2")
	p := sim.NewPlant(s, 1, 6)
	if p.Serving() != 2 || p.Queued() != 4 {
		t.Fatalf("%d served, %d queued", p.Serving(), p.Queued())
	}
	more := s.Phases[0]
	more.Servers = 5
	p.Enter(&more)
	if p.Serving() != 5 || p.Queued() != 1 {
		t.Errorf("5 servers: %d served, %d queued", p.Serving(), p.Queued())
	}
	p.Enter(&s.Phases[0])
	if p.Serving() != 5 {
		t.Errorf("fewer servers must let running services finish; %d served", p.Serving())
	}
	p.Advance(0.0105)
	if p.Serving() != 2 || p.Completed() != 5 {
		t.Errorf("%d served, %d completed", p.Serving(), p.Completed())
	}
	computing := parse(t, "cpus 4\ncpu const(10ms)").Phases[0]
	p.Enter(&computing)
	if p.Queued() != 0 || p.Runnable() != 0 {
		t.Errorf("without a server nobody queues: %d queued, %v runnable", p.Queued(), p.Runnable())
	}
	computing.Load = 3
	p.Enter(&computing)
	if p.Runnable() != 3 { // 4 compute (the 2 in service still are) and 1 core is left
		t.Errorf("%v runnable, want 3", p.Runnable())
	}
	p.Advance(1)
	if p.InFlight() != 6 {
		t.Errorf("%d in flight, want 6", p.InFlight())
	}
	open := computing
	open.Arrivals = 1000
	p.Enter(&open)
	p.Advance(11) // 100/s can be done
	if p.Waiting() < 8000 || p.Waiting() > 10_000 {
		t.Errorf("%d waiting after 10 s, want about 9000", p.Waiting())
	}
	p.Enter(&computing)
	if p.Waiting() != 0 {
		t.Error("a closed system has no count of the waiting")
	}
}
