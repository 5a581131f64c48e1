package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func wait(n int) control.Window {
	return control.Window{N: n, T: 0.3, X: 1000, Comp: 300, CPUs: 4, U: 0.1, Idle: 0.9, Bound: 1}
}

// Evidence is the mean of the pairs, and its error falls with their number.
func TestEvidenceAddsUp(t *testing.T) {
	e := control.NewEvidence()
	e.About(10, 12, 0)
	a, b := wait(10), wait(12)
	last := math.Inf(1)
	for i := range 20 {
		e.Add(0.04+0.01*float64(i%2*2-1), 0.02*0.02, a, b)
		if got := e.Err(); got <= 0 || got >= last {
			t.Fatalf("pair %d: error %v after %v", i, got, last)
		} else {
			last = got
		}
	}
	if m := e.Mean(); math.Abs(m-0.04) > 1e-9 || e.ByCPU() {
		t.Errorf("mean %v by CPU %v, want 0.04 by throughput", m, e.ByCPU())
	}
}

// Pairs that disagree are worth less than pairs that agree.
func TestEvidenceSeesScatter(t *testing.T) {
	spread := func(by float64) float64 {
		e := control.NewEvidence()
		e.About(10, 12, 0)
		for i := range 8 {
			e.Add(by*float64(i%2*2-1), 0.01*0.01, wait(10), wait(12))
		}
		return e.Err()
	}
	if calm, wild := spread(0.005), spread(0.2); wild < 5*calm {
		t.Errorf("error %v where pairs agree, %v where they do not", calm, wild)
	}
}

func TestEvidenceFades(t *testing.T) {
	e := control.NewEvidence()
	e.About(10, 12, 0)
	for range 8 {
		e.Add(0.03, 0.01*0.01, wait(10), wait(12))
	}
	before := e.N()
	e.About(10, 12, 60)
	if after := e.N(); math.Abs(after-before/2) > 1e-9 {
		t.Errorf("%v pairs after a minute, want half of %v", after, before)
	}
	if m := e.Mean(); math.Abs(m-0.03) > 1e-9 {
		t.Errorf("the mean became %v", m)
	}
	e.About(10, 13, 60)
	if e.N() != 0 || e.Mean() != 0 || e.Err() != 0 {
		t.Errorf("another pair of limits: %v pairs, mean %v ± %v, want nothing", e.N(), e.Mean(), e.Err())
	}
}

// Where both ends live by CPU, CPU use decides; where throughput contradicts,
// it does not.
func TestEvidenceByCPU(t *testing.T) {
	a, b := wait(4), wait(5)
	a.U, a.Idle, b.U, b.Idle = 0.9, 0.1, 0.99, 0.01
	agree := control.NewEvidence()
	agree.About(4, 5, 0)
	thrash := control.NewEvidence()
	thrash.About(4, 5, 0)
	for range 4 {
		agree.Add(0.08, 0.03*0.03, a, b)
		thrash.Add(-0.5, 0.03*0.03, a, b)
	}
	if want := math.Log(0.99 / 0.9); !agree.ByCPU() || math.Abs(agree.Mean()-want) > 1e-9 {
		t.Errorf("by CPU %v, mean %v, want %v", agree.ByCPU(), agree.Mean(), want)
	}
	if thrash.ByCPU() || math.Abs(thrash.Mean()+0.5) > 1e-9 {
		t.Errorf("thrashing: by CPU %v, mean %v, want -0.5 by throughput", thrash.ByCPU(), thrash.Mean())
	}
}

// The scatter of pairs teaches the model how noisy the machine is.
func TestNoiseIsLearntFromPairs(t *testing.T) {
	learnt := func(by float64) float64 {
		e := control.NewEvidence()
		e.About(10, 12, 0)
		for i := range 60 {
			e.Add(by*float64(i%2*2-1), 0.01*0.01, wait(10), wait(12))
		}
		return e.VX()
	}
	if calm, wild := learnt(0.001), learnt(0.1); wild < 10*calm {
		t.Errorf("variance %v on a calm machine, %v on a noisy one", calm, wild)
	}
}

// The pool is about a second of holding: newer windows replace older ones.
func TestPool(t *testing.T) {
	var p control.Pool
	w := wait(10)
	for i, x := range []float64{900, 1100, 1000} {
		w.At += w.T
		w.X = x
		p.Add(w)
		if i == 2 {
			break
		}
	}
	m := p.Take(w)
	if math.Abs(m.X-1000) > 1e-9 || m.Comp != 900 || math.Abs(m.T-0.9) > 1e-9 {
		t.Errorf("three windows became %+v", m)
	}
	if m := p.Take(w); m != w {
		t.Errorf("an emptied pool gives %+v, want the window asked about", m)
	}
	p.Add(w)
	other := w
	other.N++
	other.At += other.T
	if m := p.Take(other); m != other {
		t.Errorf("a pool of another limit gives %+v", m)
	}
	for range 100 {
		w.At += w.T
		p.Add(w)
	}
	if m := p.Take(w); m.T > 1.5 {
		t.Errorf("the pool holds %v s", m.T)
	}
	p.Add(w)
	later := w
	later.At += 60 // an experiment came in between
	p.Add(later)
	if m := p.Take(later); m.Comp != later.Comp {
		t.Errorf("windows a minute apart were merged: %+v", m)
	}
}

// One step of the fine search costs at most the tolerated knee: a law that
// climbs where a unit more brings its full share, and rests where it brings none.
func TestFineSearchFollowsTheSlope(t *testing.T) {
	for name, test := range map[string]struct {
		k         int
		low, high int
	}{
		"full share up to 60": {60, 54, 110},
		"full share up to 5":  {5, 5, 8},
	} {
		c := control.NewSearch()
		p := &fluid{cpus: 4, rate: server(test.k, 20*time.Millisecond)}
		p.run(c, 4, 30*time.Second)
		if home := c.Home(); home < test.low || home > test.high {
			t.Errorf("%s: stands at %d, want %d to %d", name, home, test.low, test.high)
		}
	}
}
