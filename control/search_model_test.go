package control_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

func TestLogRatioIsBounded(t *testing.T) {
	for _, test := range []struct{ c, a, want float64 }{
		{2, 1, math.Ln2}, {1, 2, -math.Ln2}, {1, 1, 0}, {0, 0, 0},
	} {
		if got := control.LogRatio(test.c, test.a); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v over %v: got %v, want %v", test.c, test.a, got, test.want)
		}
	}
	if up, down := control.LogRatio(1, 0), control.LogRatio(0, 1); math.IsInf(up, 0) || math.IsInf(down, 0) || up <= 1 || down >= -1 {
		t.Errorf("over nothing %v, nothing over %v: want large and finite", up, down)
	}
}

// The noise is that of the completions counted: four times as many, half of it.
func TestNoiseFallsWithCompletions(t *testing.T) {
	m := control.NewModel()
	few := m.NoiseX(control.Window{Comp: 25}, control.Window{Comp: 25})
	many := m.NoiseX(control.Window{Comp: 100}, control.Window{Comp: 100})
	if r := math.Sqrt(few / many); r < 1.9 || r > 2.1 {
		t.Errorf("the standard deviation falls by %.2f, want 2", r)
	}
	if most := m.NoiseX(control.Window{Comp: 1e9}, control.Window{Comp: 1e9}); most <= 0 {
		t.Errorf("a billion completions: variance %v, want the noise of the machine", most)
	}
}

// CPU clocks advance in steps: short windows and few CPUs know less.
func TestNoiseOfCPUUse(t *testing.T) {
	m := control.NewModel()
	noise := func(t, cpus, u float64) float64 {
		w := control.Window{T: t, CPUs: cpus, U: u}
		return m.NoiseU(w, w)
	}
	base := noise(0.1, 1, 0.1)
	if noise(1, 1, 0.1) >= base || noise(0.1, 8, 0.1) >= base || noise(0.1, 1, 0.9) >= base {
		t.Error("a longer window, more CPUs or more use should have less noise")
	}
}

func TestLeastResidence(t *testing.T) {
	m := control.NewModel()
	learn := func(n int, comp, r float64) { m.Learn(control.Window{N: n, Comp: comp, R: r, CV2: 0.5}) }
	learn(100, 10, 0.001) // those that finish first are the short ones
	if got := m.Least(); got != 0 {
		t.Errorf("after a tenth of a turn: least residence %v, want unknown", got)
	}
	learn(100, 200, 0.02)
	learn(100, 200, 0.03)
	learn(100, 200, 0.01)
	if got := m.Least(); got != 0.01 {
		t.Errorf("got %v, want 0.01", got)
	}
	m.Forget()
	if got := m.Least(); got != 0 {
		t.Errorf("after forgetting: %v", got)
	}
}

func TestResidenceIsThatOfTheNewestWindow(t *testing.T) {
	m := control.NewModel()
	m.See(control.Window{Comp: 10, R: 0.3})
	m.See(control.Window{Comp: 10, R: 0.2})
	m.See(control.Window{}) // nothing completed: nothing learnt
	if got := m.Residence(); got != 0.2 {
		t.Errorf("got %v, want 0.2", got)
	}
}

// How much even windows scatter is learnt: the noise follows it.
func TestEvennessIsLearnt(t *testing.T) {
	scatter := func(by float64) float64 {
		m := control.NewModel()
		w := control.Window{N: 10, T: 0.2, Comp: 50, R: 0.04, Even: true}
		for i := range 50 {
			w.X = 1000 * math.Exp(by*float64(i%2))
			w.At += w.T
			m.See(w)
		}
		return m.NoiseX(w, w)
	}
	if calm, wild := scatter(0.001), scatter(0.2); calm*4 > wild {
		t.Errorf("variance %v where windows agree, %v where they differ by a fifth", calm, wild)
	}
}

// CPU use speaks for the throughput where both windows live by it and the
// throughput does not contradict.
func TestRatio(t *testing.T) {
	m := control.NewModel()
	cpu := func(n int, x, u float64) control.Window {
		return control.Window{N: n, T: 0.3, X: x, Comp: 300, CPUs: 4, U: u, Idle: 1 - u}
	}
	d, v := m.Ratio(cpu(4, 1000, 0.9), cpu(5, 1010, 0.99))
	if want := math.Log(0.99 / 0.9); math.Abs(d-want) > 1e-9 {
		t.Errorf("CPU-bound: got %v, want the ratio of CPU use, %v", d, want)
	}
	if _, x := m.Ratio(cpu(4, 1000, 0.2), cpu(5, 1010, 0.22)); v >= x {
		t.Errorf("variance %v by CPU use, %v by throughput: want less", v, x)
	}
	// Twice the units burn more CPU and do half: thrashing.
	if d, _ := m.Ratio(cpu(4, 1000, 0.9), cpu(8, 500, 1)); math.Abs(d-math.Log(0.5)) > 1e-9 {
		t.Errorf("thrashing: got %v, want the ratio of throughput", d)
	}
	if d, _ := m.Ratio(cpu(4, 1000, 0.2), cpu(8, 1500, 0.7)); math.Abs(d-math.Log(1.5)) > 1e-9 {
		t.Errorf("waiting: got %v, want the ratio of throughput", d)
	}
}
