package control_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// inRow returns windows of 0.1 s, one after the other at one limit, with these
// throughputs.
func inRow(rates ...float64) []control.Window {
	var ws []control.Window
	for i, x := range rates {
		ws = append(ws, control.Window{N: 8, T: 0.1, X: x, Comp: 0.1 * x, R: 8 / x, CV2: 0.5, Bound: 1,
			U: 0.3, Idle: 0.5, CPUs: 4, At: 0.1 * float64(i+1)})
	}
	return ws
}

func TestPatchesAreMoreThanChance(t *testing.T) {
	const rate = 10_000 // units/s
	rng := rand.New(rand.NewPCG(1, 2))
	var chance, waves, change, even []float64
	for i := range 100 {
		// 1,000 units with a squared coefficient of variation of 0.5.
		chance = append(chance, rate*(1+math.Sqrt(0.5/1000)*rng.NormFloat64()))
		waves = append(waves, rate*math.Exp(0.3*rng.NormFloat64()))
		x := float64(rate)
		if i >= 40 && i < 70 {
			x /= 2 // a neighbour came and went
		}
		change = append(change, x*chance[i]/rate)
	}
	even = waves
	for _, c := range []struct {
		name   string
		rates  []float64
		even   bool
		patchy bool
	}{
		{"chance", chance, false, false},
		{"waves", waves, false, true},
		{"a change", change, false, false},
		{"even units", even, true, false},
	} {
		m := control.NewModel()
		for i, w := range inRow(c.rates...) {
			w.Even = c.even
			m.See(w)
			if i == 3 && m.Patchy() != c.patchy {
				t.Errorf("%s: patchy %v after four windows, want %v", c.name, m.Patchy(), c.patchy)
			}
			if m.Patchy() && !c.patchy {
				t.Errorf("%s: patchy after %d windows", c.name, i+1)
				break
			}
		}
		if m.Patchy() != c.patchy {
			t.Errorf("%s: patchy %v, want %v", c.name, m.Patchy(), c.patchy)
		}
		// Half the variance of the log ratio of two windows, times the units.
		if want := 0.3 * 0.3 * 1000; c.patchy && (m.Uneven() < want/2 || m.Uneven() > want*2) {
			t.Errorf("%s: index of dispersion %.0f, want about %.0f", c.name, m.Uneven(), want)
		}
	}
}

// Only what lies next to each other is compared: not windows at another limit, with
// units of another limit in between, or without enough units.
func TestPatchesOfWindowsInARow(t *testing.T) {
	rates := []float64{4000, 16000, 4000, 16000, 4000, 16000, 4000, 16000}
	for name, spoil := range map[string]func(i int, w *control.Window){
		"another limit":  func(i int, w *control.Window) { w.N += i },
		"time between":   func(i int, w *control.Window) { w.At += 0.1 * float64(i) },
		"few units":      func(_ int, w *control.Window) { w.X /= 400; w.Comp /= 400 },
		"few turns":      func(_ int, w *control.Window) { w.R = 0.05 },
		"no work to do":  func(_ int, w *control.Window) { w.Bound = 0.5 },
		"busy collector": func(_ int, w *control.Window) { w.GC, w.U, w.Idle = 100, 1, 0 },
	} {
		m := control.NewModel()
		for i, w := range inRow(rates...) {
			spoil(i, &w)
			m.See(w)
		}
		if m.Patchy() {
			t.Errorf("%s: it counts", name)
		}
	}
	m := control.NewModel()
	for _, w := range inRow(rates...) {
		m.See(w)
	}
	if !m.Patchy() {
		t.Error("the same windows, unspoilt, show nothing")
	}
}

// A search through files: throughput goes up and down by half within half a second,
// and the limit has no part in it. A law that believes each window wanders.
func TestPatchyWorkDoesNotMoveTheLimit(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 7))
		size, next := 1.0, time.Duration(0)
		p := &fluid{cpus: 4, cpu: 20e-6}
		p.rate = func(n int, at time.Duration) float64 {
			if at >= next {
				size, next = math.Exp(0.5*rng.NormFloat64()), at+time.Duration(20+rng.IntN(100))*time.Millisecond
			}
			return 1000 * float64(min(n, 24)) / size
		}
		c := control.NewSearch()
		p.run(c, 4, 20*time.Second)
		moves, least, most := 0, math.MaxInt, 0
		home := c.Home()
		p.see = func(control.Reading, control.Decision) {
			if c.Home() != home {
				moves, home = moves+1, c.Home()
			}
			least, most = min(least, home), max(most, home)
		}
		p.run(c, 0, 80*time.Second)
		t.Logf("seed %d: %d to %d, %d moves", seed, least, most, moves)
		if moves > 25 {
			t.Errorf("seed %d: the limit moved %d times in a minute of work that is always the same", seed, moves)
		}
		if least < 12 || most > 100*24 {
			t.Errorf("seed %d: from %d to %d, though 24 are best and more no better", seed, least, most)
		}
	}
}
