package sim_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

// made builds the arguments of ScoreOf: stretches of seconds, each with a
// limit and X; N* is 10 and XBest 100 in phase 0, 20 and 200 after it.
type made struct {
	seconds float64
	limit   int
	x       float64
	phase   int
}

func scoreOf(completed int64, stretches ...made) *sim.Result {
	var limits, nstars, phases []int
	var xs, bests []float64
	for _, m := range stretches {
		for range int(math.Round(m.seconds * 100)) {
			n, best := 10, 100.0
			if m.phase > 0 {
				n, best = 20, 200
			}
			limits, xs, nstars, bests, phases = append(limits, m.limit), append(xs, m.x), append(nstars, n), append(bests, best), append(phases, m.phase)
		}
	}
	return sim.ScoreOf(completed, limits, xs, nstars, bests, phases)
}

func TestScore(t *testing.T) {
	r := scoreOf(250, made{1, 5, 50, 0}, made{0.5, 10, 95, 0}, made{0.5, 9, 94, 0}, made{1, 15, 100, 0})
	want := sim.Result{Score: (50 + 47.5 + 47 + 100) / 300, Last: 1, Ratio: 1.5, T95: 2, Recover: math.NaN(), Act: 250.0 / 300}
	for name, pair := range map[string][2]float64{
		"score": {r.Score, want.Score}, "last": {r.Last, want.Last}, "ratio": {r.Ratio, want.Ratio},
		"t95": {r.T95, want.T95}, "act": {r.Act, want.Act},
	} {
		if !closeTo(pair[0], pair[1], 1e-9) {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	if !math.IsNaN(r.Recover) || !math.IsNaN(r.Settled) {
		t.Errorf("recovery %v without a step, settled %v within 3 s", r.Recover, r.Settled)
	}
	if r := scoreOf(0, made{10, 5, 50, 0}, made{1, 10, 90, 0}, made{1, 10, 100, 0}); !closeTo(r.Settled, 0.95, 1e-9) {
		t.Errorf("settled %v, want 0.95", r.Settled)
	}
}

// Held for a second means a whole one.
func TestHold(t *testing.T) {
	if r := scoreOf(0, made{2, 5, 50, 0}, made{0.99, 10, 99, 0}); !math.IsInf(r.T95, 1) {
		t.Errorf("t95 is %v after 0.99 s, want never", r.T95)
	}
	if r := scoreOf(0, made{2, 5, 50, 0}, made{1, 10, 99, 0}); !closeTo(r.T95, 2, 1e-9) {
		t.Errorf("t95 is %v, want 2", r.T95)
	}
}

func TestRecover(t *testing.T) {
	for _, c := range []struct {
		name    string
		after   []made
		recover float64
	}{
		{"at once", []made{{3, 20, 200, 1}}, 0},
		{"too slow, then well", []made{{0.7, 10, 120, 1}, {2, 20, 195, 1}}, 0.7},
		{"too many, then well", []made{{0.7, 31, 200, 1}, {2, 30, 200, 1}}, 0.7},
		{"never", []made{{3, 31, 200, 1}}, math.Inf(1)},
		{"the worst of two", []made{{0.2, 10, 100, 1}, {2, 20, 200, 1}, {0.5, 20, 50, 0}, {2, 10, 100, 0}}, 0.5},
		{"a phase that changes nothing", []made{{0.2, 10, 100, 1}, {2, 20, 200, 1}, {2, 50, 100, 2}}, 0.2},
	} {
		if r := scoreOf(0, append([]made{{2, 10, 100, 0}}, c.after...)...); r.Recover != c.recover && !closeTo(r.Recover, c.recover, 1e-9) {
			t.Errorf("%s: %v, want %v", c.name, r.Recover, c.recover)
		}
	}
}
