package control_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// duelWindow is a window that does x units/s at a limit. Its noise is that of 300 units
// of the usual dispersion, and the CPUs are idle.
func duelWindow(n int, x float64) control.Window {
	return control.Window{N: n, T: 0.3, X: x, Comp: 300, R: 0.02, CV2: 0.5, Bound: 1, Idle: 1, CPUs: 4}
}

// climbRules are those of a step up from 8 to 12 units.
var climbRules = control.Rules{Need: 0.03, Least: 2, Most: 4, Tie: true}

// sit holds a sitting of 8 against 12 units. at returns the i-th window at a limit. It
// returns the limits in the order in which they were measured and the verdict.
func sit(d *control.Duel, now float64, r control.Rules, at func(n, i int) control.Window) (order []int, verdict string) {
	const a, b = 8, 12
	d.About(at(a, 0), b, now, r)
	order = []int{a}
	seen := map[int]int{a: 1}
	for n := b; verdict == ""; {
		order = append(order, n)
		w := at(n, seen[n])
		seen[n]++
		n, verdict = d.Take(w)
	}
	return order, verdict
}

// gains returns windows of which those at 12 do more by a log gain, each.
func gains(gain ...float64) func(n, i int) control.Window {
	return func(n, i int) control.Window {
		x := 1000.0
		if n == 12 {
			x *= math.Exp(gain[min(i, len(gain)-1)])
		}
		return duelWindow(n, x)
	}
}

func TestDuelVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		rules control.Rules
		gain  float64
		want  string
		pairs float64
	}{
		"much more":              {climbRules, 0.3, "better", 2},
		"so much more":           {control.Rules{Need: 0.03, Least: 3, Most: 4}, 0.3, "better", 3},
		"less":                   {climbRules, -0.3, "worse", 1},
		"as much as is needed":   {climbRules, 0.03, "worse", 4},
		"as much, with fewer":    {control.Rules{Need: -0.03, Least: 2, Most: 8}, 0, "better", 6},
		"a tie that leans":       {control.Rules{Need: 0.03, Least: 2, Most: 8, Tie: true}, 0.047, "better", 8},
		"a tie without its rule": {control.Rules{Need: 0.03, Least: 2, Most: 8}, 0.047, "worse", 8},
		"a tie of few pairs":     {control.Rules{Need: 0.03, Least: 2, Most: 6, Tie: true}, 0.05, "worse", 6},
	} {
		d := control.NewDuel(known(0.02))
		_, got := sit(d, 0, test.rules, gains(test.gain))
		if got != test.want || math.Abs(d.Pairs()-test.pairs) > 1e-9 {
			t.Errorf("%s: %q after %v pairs, want %q after %v (%v)", name, got, d.Pairs(), test.want, test.pairs, d)
		}
	}
}

// A B B A: a machine that becomes slower or faster all the time favors neither limit.
func TestDuelOrderCancelsDrift(t *testing.T) {
	for _, drift := range []float64{-0.02, 0.02} { // from one window to the next
		d, clock := control.NewDuel(known(0.02)), -1.0
		order, _ := sit(d, 0, control.Rules{Need: 0.005, Least: 9, Most: 4}, func(n, _ int) control.Window {
			clock++
			return duelWindow(n, 1000*math.Exp(drift*clock))
		})
		if want := []int{8, 12, 12, 8, 8, 12, 12, 8}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if gain, _ := d.Gain(); math.Abs(gain) > 1e-9 {
			t.Errorf("drift %v: a gain of %v by that alone", drift, gain)
		}
	}
}

// Sittings too short for a verdict by themselves add up; what they showed fades.
func TestDuelRemembers(t *testing.T) {
	brief := control.Rules{Need: 0.03, Least: 3, Most: 2}
	d := control.NewDuel(known(0.02))
	sit(d, 0, brief, gains(0.03))
	if _, got := sit(d, 1, brief, gains(0.03)); got != "worse" || d.Pairs() < 3.9 {
		t.Errorf("%q with %v pairs in two sittings of two, want worse with about 4", got, d.Pairs())
	}
	d = control.NewDuel(known(0.02))
	sit(d, 0, brief, gains(0.12))
	if _, got := sit(d, 1, brief, gains(0.12)); got != "better" {
		t.Errorf("%q: two sittings that agree (%v)", got, d)
	}
	before := d.Pairs()
	d.About(duelWindow(8, 1000), 12, 1+control.DuelMemory, brief)
	if got := d.Pairs(); math.Abs(got-before/2) > 1e-9 {
		t.Errorf("after the half-life %v of %v pairs are left", got, before)
	}
	d.About(duelWindow(8, 1000), 16, 2+control.DuelMemory, brief)
	if got := d.Pairs(); got != 0 {
		t.Errorf("%v pairs known of limits that never met", got)
	}
}

func TestDuelMemoryIsBounded(t *testing.T) {
	d := control.NewDuel(known(0.02))
	for i := range 20 {
		sit(d, float64(i), control.Rules{Need: 0.03, Least: 99, Most: 4}, gains(0.03))
	}
	if got := d.Pairs(); got > control.DuelKept+4 {
		t.Errorf("%v pairs weigh in, want at most %d from before and 4 of now", got, control.DuelKept)
	}
}

// A duel ends where the limit that stands held nobody back. One that holds work back part of
// the time is compared with a higher one, by throughput.
func TestDuelNeedsWork(t *testing.T) {
	for _, test := range []struct {
		bound [2]float64 // at 8 and at 12
		gain  float64
		want  string
	}{
		{[2]float64{0.01, 0.01}, 0.3, "abandoned"}, {[2]float64{0.5, 0}, 0.3, "better"}, {[2]float64{0.5, 0}, 0, "worse"},
		{[2]float64{1, 0}, 0, "worse"}, {[2]float64{1, 1}, 0.3, "better"},
	} {
		_, got := sit(control.NewDuel(known(0.02)), 0, climbRules, func(n, i int) control.Window {
			w := gains(test.gain)(n, i)
			w.Bound = test.bound[n/12]
			return w
		})
		if got != test.want {
			t.Errorf("bound for %v of the time, a gain of %v: %q, want %q", test.bound, test.gain, got, test.want)
		}
	}
	d := control.NewDuel(known(0.02))
	w := duelWindow(12, 1000)
	w.Bound = 0.5
	d.About(w, 8, 0, climbRules)
	if _, got := d.Take(duelWindow(8, 1000)); got != "abandoned" {
		t.Errorf("bound half of the time, and fewer are tried: %q, want abandoned", got)
	}
}

// computing makes windows of work that lives by CPU: u of the CPUs is in use at 8 units,
// and more by a log gain at 12. The rest is idle.
func computing(u, gain float64, at func(n, i int) control.Window) func(n, i int) control.Window {
	return func(n, i int) control.Window {
		w := at(n, i)
		w.U = u
		if n == 12 {
			w.U *= math.Exp(gain)
		}
		w.Idle = 1 - w.U
		return w
	}
}

// CPU use weighs in, where the work lives by it and throughput does not contradict: it has
// less noise.
func TestDuelByCPU(t *testing.T) {
	for name, test := range map[string]struct {
		at    func(n, i int) control.Window
		rules control.Rules
		led   bool
	}{
		"noisy throughput": {computing(0.85, 0.06, gains(0.12, 0, 0.1, 0.02)), climbRules, true}, // 0.06 on average

		"CPUs mostly idle":       {computing(0.3, 0.06, gains(0.12, 0, 0.1, 0.02)), climbRules, false},
		"throughput contradicts": {computing(0.85, 0.06, gains(-0.3)), climbRules, false},
	} {
		d := control.NewDuel(known(0.02))
		_, verdict := sit(d, 0, test.rules, test.at)
		gain, err := d.Gain()
		if d.Led() != test.led {
			t.Errorf("%s: by CPU use %v, want %v (%v)", name, d.Led(), test.led, d)
		}
		if test.led && (math.Abs(gain-0.06) > 0.01 || err > 0.02) {
			t.Errorf("%s: %v ± %v, want about the gain of CPU use, 0.06", name, gain, err)
		}
		if name == "throughput contradicts" && verdict != "worse" {
			t.Errorf("%s: %q (%v), want worse", name, verdict, d)
		}
	}
}

// What loops that share a bottleneck lose is part of a gain.
func TestDuelCountsWhatOthersLose(t *testing.T) {
	for _, test := range []struct {
		gain, others float64
		want         string
	}{
		{0.3, 0, "better"}, {0.3, -0.35, "worse"}, {-0.1, 0.3, "better"}, {-0.3, 0.02, "worse"},
	} {
		d := control.NewDuel(known(0.02))
		k := climbRules
		k.Most = 30
		_, got := sit(d, 0, k, func(n, i int) control.Window {
			w := gains(test.gain)(n, i)
			w.Crowd = 2
			if n == 12 {
				w.Other = test.others
			}
			return w
		})
		if got != test.want {
			t.Errorf("gains %v and others %v: %q, want %q (%v)", test.gain, test.others, got, test.want, d)
		}
	}
}

func TestSocialGain(t *testing.T) {
	const sure, unsure = 1e-12, 1e6
	for name, test := range map[string]struct{ d, others, vo, want float64 }{
		"known loss of others":   {0.4, -0.3, sure, 0.1},
		"known gain of others":   {0.4, 0.3, sure, 0.7},
		"unknown: half is taken": {0.4, -0.3, unsure, 0.2},
		"unknown: half is given": {-0.4, 0.3, unsure, -0.2},
	} {
		got, v := control.Social(test.d, 0.01, test.others, test.vo)
		if math.Abs(got-test.want) > 1e-3 || v < 0.01 || math.IsNaN(v) {
			t.Errorf("%s: %v, variance %v, want %v and no less than 0.01", name, got, v, test.want)
		}
	}
}

func TestDuelInWords(t *testing.T) {
	d := control.NewDuel(known(0.02))
	sit(d, 0, climbRules, gains(0.3))
	want := "12 against 8: +35.0 % ± 3.6 % in 2 pairs, needs +3.0 %"
	if got := d.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := control.NewDuel(known(0.02)).String(); strings.Contains(got, "NaN") || got == "" {
		t.Errorf("before the first pair: %q", got)
	}
}
