package lab_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

var poolExperiments = []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A9"}

// Each point does its work at any size, and its check finds nothing wrong.
func TestPointsOfThePool(t *testing.T) {
	for _, id := range poolExperiments {
		ours := 0
		for _, p := range lab.PoolPoints(id, "quick") {
			if p.Ours && !p.Aside {
				ours++
			}
			got, err := p.Measure(5)
			if err != nil || !(got > 0) {
				t.Errorf("%s %s: %g, %v", id, p.Name, got, err)
			}
			if _, err := p.Measure(0); err == nil && !strings.Contains(p.Label, "empty") && p.Label != "no units" {
				t.Errorf("%s %s measures no units", id, p.Name)
			}
		}
		if ours == 0 {
			t.Errorf("%s has no point of ours", id)
		}
	}
}

func TestSizesOfThePool(t *testing.T) {
	for id, want := range map[string]int{"A1": 3000, "A2": 3000, "A3": 3000, "A4": 30_000, "A5": 3000, "A6": 3000, "A7": 3000, "A9": 3000} {
		quick, full, article := lab.PoolSizes(id)
		if article != want || quick > full || full > article {
			t.Errorf("%s: sizes %d, %d, %d, want %d at last", id, quick, full, article, want)
		}
	}
}

func TestNumbersOfWorkers(t *testing.T) {
	xs := func(id, size, label string) []float64 {
		var xs []float64
		for _, p := range lab.PoolPoints(id, size) {
			if p.Label == label {
				xs = append(xs, p.X)
			}
		}
		return xs
	}
	cpus := float64(runtime.GOMAXPROCS(0))
	for _, size := range []string{"quick", "full", "article"} {
		for id, labels := range map[string][]string{
			"A3": {"Do"}, "A4": {"Do"}, "A5": {"buffer of the unit", "buffer of the worker"},
			"A6": {"counting units", "empty units"}, "A9": {"Do"},
		} {
			for _, label := range labels {
				got := xs(id, size, label)
				if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
					t.Errorf("%s %s %s: not in order: %v", id, size, label, got)
				}
				want := []float64{1, cpus, max(24, 2*cpus)}
				if id == "A9" {
					n := len(got)
					want = []float64{cpus, float64(map[string]int{"quick": 300, "full": 3000, "article": 3000}[size])}
					if got[n-1] != 4*want[1] {
						t.Errorf("A9 %s: the last is %g workers, want four for each unit", size, got[n-1])
					}
				}
				for _, x := range want {
					if !slices.Contains(got, x) {
						t.Errorf("%s %s %s: %g workers are missing in %v", id, size, label, x, got)
					}
				}
			}
		}
		for id, most := range map[string]float64{"A3": 24, "A4": 24, "A5": 24, "A6": 1000} {
			for _, x := range []float64{1, 2, 12, 24, 100, 180, 1000} {
				label := map[string]string{"A5": "buffer of the unit", "A6": "empty units"}[id]
				if label == "" {
					label = "Do"
				}
				if size == "article" && x <= most && !slices.Contains(xs(id, size, label), x) {
					t.Errorf("%s: the article's %g workers are missing", id, x)
				}
			}
		}
	}
}

// points makes the points of an experiment: y says the figure of each. What is
// slow about a round is slow for all, but for a little.
func points(id string, y func(label string, x float64) float64) []figures.Point {
	var all []figures.Point
	for i, p := range lab.PoolPoints(id, "quick") {
		v := y(p.Label, p.X)
		f := figures.Point{Label: p.Label, X: p.X, Unit: p.Unit, Ours: p.Ours, Aside: p.Aside, Y: v, Low: 0.99 * v, High: 1.01 * v}
		for round := range 8 {
			f.Samples = append(f.Samples, v*(1+float64(round%4)/10)*(1+float64((i+3*round)%5-2)/1000))
		}
		all = append(all, f)
	}
	return all
}

func TestPoolVerdicts(t *testing.T) {
	cpus := float64(runtime.GOMAXPROCS(0))
	// ideal is a time that all CPUs share.
	ideal := func(x float64) float64 {
		if x == 0 {
			x = cpus
		}
		return 100 / min(x, cpus)
	}
	allocations := func(local, state float64) func(string, float64) float64 {
		return func(label string, x float64) float64 {
			switch label {
			case "Do, allocations", "buffer of the unit, allocations":
				return local
			case "DoWithState, allocations", "buffer of the worker, allocations", "Workers, allocations":
				return state
			}
			return ideal(x)
		}
	}
	beyond := func(factor float64) func(string, float64) float64 {
		return func(_ string, x float64) float64 {
			if x > cpus {
				return factor * ideal(x)
			}
			return ideal(x)
		}
	}
	sloped := func(local, slope float64) func(string, float64) float64 {
		counts := allocations(local, 0.1)
		return func(label string, x float64) float64 {
			switch {
			case strings.HasSuffix(label, "allocations"):
				return counts(label, x)
			case x == 2 && slope > 0:
				return 1.1 * ideal(1)
			}
			return ideal(x) + slope*max(0, x-cpus)
		}
	}
	for _, c := range []struct {
		what, id string
		y        func(label string, x float64) float64
		effect   figures.Effect
		says     string
	}{
		{"the pool costs 300 ns", "A1", func(label string, _ float64) float64 {
			if strings.HasPrefix(label, "Do") && strings.HasSuffix(label, "empty units") {
				return 301
			}
			return 1
		}, figures.Baseline, "costs 345 ns (300 to 389)"},
		{"a state saves an allocation", "A2", allocations(1.1, 0.1), figures.Shows, "fewer allocations a unit than Do"},
		{"a state saves nothing", "A2", allocations(1.1, 1.1), figures.Absent, "which is within the noise"},
		{"more workers are faster", "A3", beyond(0.9), figures.Shows, "workers take 0."},
		{"more workers are not faster", "A3", beyond(1), figures.Absent, "which is within the noise"},
		{"more workers are slower", "A4", beyond(1.1), figures.Absent, "workers take 1.1"},
		{"more workers are a little faster", "A4", beyond(0.97), figures.Shows, "workers take 0.9"},
		{"all effects", "A5", sloped(1.1, 10), figures.Shows, "a rise at 2 workers shows; a turn upwards beyond the CPU count shows"},
		{"it does not escape", "A5", sloped(0.1, 10), figures.Absent, "a rise at 2 workers shows"},
		{"neither rise nor turn", "A5", sloped(1.1, 0), figures.Absent, "; a turn upwards beyond the CPU count is undecided"},
		{"it turns down", "A5", func(label string, x float64) float64 {
			if strings.HasSuffix(label, "allocations") {
				return 1
			}
			return 100 / max(x, 1)
		}, figures.Absent, "a rise at 2 workers does not show; a turn upwards beyond the CPU count does not show"},
		{"1 µs for each goroutine", "A6", func(_ string, x float64) float64 { return 1 + x/1000 }, figures.Shows, "more than 500 ns"},
		{"100 ns for each goroutine", "A6", func(_ string, x float64) float64 { return 1 + x/10_000 }, figures.Absent, "less than 500 ns"},
		{"nothing for a goroutine", "A6", func(string, float64) float64 { return 1e-3 }, figures.Absent, "less than 500 ns, perhaps nothing"},
		{"500 ns with empty units alone", "A6", func(label string, x float64) float64 {
			if label == "empty units" {
				return 1 + x/2000
			}
			return 1e3
		}, figures.Untold, "agrees with 0 as well as with 500 ns"},
		{"noise", "A6", func(string, float64) float64 { return 1e3 }, figures.Untold, "agrees with 0 as well as with 500 ns"},
		{"care pays", "A7", func(label string, _ float64) float64 {
			return map[string]float64{"each once": 10}[label] + 1
		}, figures.Shows, "the article's way is better than one run of each: two equal points seem to differ by 1.00 %"},
		{"care is lost", "A7", func(string, float64) float64 { return 1 }, figures.Untold, "the samples do not decide"},
		{"care harms", "A7", func(label string, _ float64) float64 {
			return map[string]float64{"3 times 3, averages": 10}[label] + 1
		}, figures.Absent, "worse than one run"},
		{"one for each", "A9", func(_ string, x float64) float64 { return 300 / max(x, 1) }, figures.Shows, "a worker for each unit takes 1.00 ms"},
		{"half as many do", "A9", func(_ string, x float64) float64 { return 300 / min(max(x, 1), 150) }, figures.Absent, "a worker for each unit takes"},
	} {
		v := lab.JudgePool(c.id, points(c.id, c.y))
		if v.Effect != c.effect {
			t.Errorf("%s, %s: effect is %v, want %v: %s", c.id, c.what, v.Effect, c.effect, v.Words)
		}
		if !strings.Contains(v.Words, c.says) {
			t.Errorf("%s, %s: %q, want it to say %q", c.id, c.what, v.Words, c.says)
		}
		if (v.Ours == nil) != (c.id == "A7") { // a method is not work that the library does
			t.Errorf("%s, %s: the answer is %v", c.id, c.what, v.Ours)
		}
	}
}

// A6 calls what a start costs a part of the cost of empty units only if it is one.
func TestPartOfTheStart(t *testing.T) {
	for _, c := range []struct {
		start, empty float64 // what a goroutine adds, in ms
		part         bool
	}{
		{1e-4, 4e-4, true},
		{4e-4, 1e-4, false},
		{-1e-4, 4e-4, false},
		{-4e-4, -1e-4, false},
	} {
		v := lab.JudgePool("A6", points("A6", func(label string, x float64) float64 {
			return 1 + x*map[string]float64{"no units": c.start, "empty units": c.empty}[label]
		}))
		if note := v.Notes[1]; strings.Contains(note, "of the cost with empty units") != c.part {
			t.Errorf("a start adds %v ms, with empty units %v ms: %q", c.start, c.empty, note)
		}
	}
}

// Ours is compared with the best of the same units, not of others.
func TestAnswersToTheSameUnits(t *testing.T) {
	v := lab.JudgePool("A6", points("A6", func(label string, _ float64) float64 {
		return map[string]float64{"counting units": 100, "Map, counting units": 50, "empty units": 4, "Map, empty units": 1}[label]
	}))
	if o := v.Ours; o.Label != "Map, counting units" || !strings.HasPrefix(o.Best, "counting units") || o.Ratio < 1.9 || o.Ratio > 2.1 {
		t.Errorf("%+v", v.Ours)
	}
	if note := strings.Join(v.Notes, " "); !strings.Contains(note, "Map is 4.0") && !strings.Contains(note, "Map is 3.9") {
		t.Errorf("the empty ones: %q", note)
	}
}
