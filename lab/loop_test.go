package lab_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

var loopIDs = []string{"E1", "E2", "E3", "E4", "E5", "E11", "E12"}

// Each point does its work at a small size, and its check finds nothing wrong. What several
// points show is measured once.
func TestPointsOfTheLoop(t *testing.T) {
	measured := map[string]lab.PoolSample{}
	for _, id := range loopIDs {
		seen, ours, unit := map[string]bool{}, 0, ""
		for _, p := range lab.PoolPoints(id, "quick") {
			if seen[p.Name] {
				t.Errorf("%s has two points %s", id, p.Name)
			}
			seen[p.Name] = true
			if !p.Aside {
				if unit == "" {
					unit = p.Unit
				}
				if p.Unit != unit {
					t.Errorf("%s: %s is in %s, others in %s", id, p.Name, p.Unit, unit)
				}
				if p.Ours {
					ours++
				}
			}
			if p.IsSeeded() && testing.Short() {
				continue
			}
			t.Run(id+" "+p.Name, func(t *testing.T) {
				if p.IsSeeded() { // a simulation
					rerun.Serial(t)
				}
				rerun.Share(t)
				size := 200
				if id == "E1" || id == "E5" {
					size = 640
				}
				got, err := p.MeasureOnce(size, measured)
				// A busy machine may let nobody look at a stream.
				for ; err != nil && strings.Contains(err.Error(), "too short to see") && size < 20_000; got, err = p.MeasureOnce(size, measured) {
					size *= 2
				}
				if err != nil || math.IsNaN(got) || math.IsInf(got, 0) || got < 0 || got == 0 && !p.Aside {
					t.Errorf("%g %s, %v", got, p.Unit, err)
				}
			})
		}
		if ours == 0 {
			t.Errorf("%s has no point of ours", id)
		}
	}
}

func TestSizesOfTheLoop(t *testing.T) {
	for _, id := range loopIDs {
		if quick, full, article := lab.PoolSizes(id); quick <= 0 || full < quick || article < full {
			t.Errorf("%s: sizes %d, %d, %d do not grow", id, quick, full, article)
		}
	}
}

// A simulated point depends on its seed alone.
func TestSimulatedPoints(t *testing.T) {
	differs := false
	for _, p := range lab.PoolPoints("E2", "quick") {
		if !p.IsSeeded() || p.Aside {
			continue
		}
		a, err1 := p.Seeded(1)
		again, err2 := p.Seeded(1)
		b, err3 := p.Seeded(2)
		if err := errors.Join(err1, err2, err3); err != nil || a != again {
			t.Errorf("%s: %g and %g with one seed, %v", p.Name, a, again, err)
		}
		differs = differs || a != b
	}
	if !differs {
		t.Error("no point depends on its seed")
	}
}

// What the talk's semaphore does when its limit is lowered, and what ours does.
func TestLowering(t *testing.T) {
	for _, c := range []struct {
		how         string
		running, to int
		want        lab.Lowering
	}{
		{"exact", 10, 5, lab.Lowering{}},
		{"exact", 10, 1, lab.Lowering{}},
		{"exact", 1, 1, lab.Lowering{}},
		{"counter", 10, 5, lab.Lowering{Beyond: 5}},
		{"counter", 1, 1, lab.Lowering{}},
		{"published", 10, 5, lab.Lowering{Lost: lab.WaitingThen}},
	} {
		got := lab.Lower(c.how, c.running, c.to)
		if c.running > 1 {
			got.Passed = 0 // several are let in at a time, and do not say in which order
		}
		if got != c.want {
			t.Errorf("%s from %d to %d: %+v, want %+v", c.how, c.running, c.to, got, c.want)
		}
	}
}

// A rest costs the published law its limit. That ours keeps it is tested in virtual time,
// in its package.
func TestRest(t *testing.T) {
	if lost := lab.LostByRest(kaburaya.AsPublished()); lost < 20 {
		t.Errorf("as published a rest costs %d of the limit, want nearly all of it", lost)
	}
}

func TestFlowsCheckTheirUnits(t *testing.T) {
	for _, name := range []string{"computing", "waiting", "mixed", "loading"} {
		if err := lab.FlowCheck(name, 20, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		broken := errors.New("broken")
		err := lab.FlowCheck(name, 20, func(unit func(int64) error) func(int64) error {
			return func(i int64) error {
				if i == 3 {
					return broken
				}
				return unit(i)
			}
		})
		if !errors.Is(err, broken) {
			t.Errorf("%s with a broken unit: %v", name, err)
		}
	}
}

// loopFigures makes figures of all points of an experiment: y says what a label
// has at x, 1 unless it does.
func loopFigures(id string, y func(label string, x float64) float64) []figures.Point {
	var ps []figures.Point
	for _, p := range lab.PoolPoints(id, "quick") {
		v := y(p.Label, p.X)
		if math.IsNaN(v) {
			v = 1
		}
		q := figures.Point{Label: p.Label, X: p.X, Unit: p.Unit, Ours: p.Ours, Aside: p.Aside, Y: v, Low: v * 0.99, High: v * 1.01, CPUs: runtime.GOMAXPROCS(0)}
		for i := range 6 {
			q.Samples = append(q.Samples, v*(1+float64(i-3)/1000))
		}
		ps = append(ps, q)
	}
	return ps
}

// What is compared with the best fixed number is not compared with less than that does.
func TestBestFixedNumberScoresOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if score, err := lab.ScoreOfBest(2 * time.Second); err != nil || score < 0.99 || score > 1.01 {
			t.Errorf("the best fixed number has %v of itself, %v", score, err)
		}
	})
}

// The answer to E11 is compared with the better of the article's scalers.
func TestScalingIsComparedWithTheBest(t *testing.T) {
	v := lab.JudgePool("E11", loopFigures("E11", func(label string, _ float64) float64 {
		return map[string]float64{"threshold, published6": 75, "the author's, published6": 9, "Demand, published6": 4}[label]
	}))
	if v.Ours.Best != "the author's, published6" || v.Ours.Ratio < 2.2 || v.Ours.Ratio > 2.3 {
		t.Errorf("%+v", v.Ours)
	}
}

func TestVerdictsOfTheLoop(t *testing.T) {
	type values map[string]float64 // by the beginning of a label
	for _, c := range []struct {
		what, id string
		values   values
		effect   figures.Effect
		says     []string
		silent   []string
	}{
		{"loose", "E1", values{"in flight beyond the limit, counter": 5, "in flight beyond the limit, counter, as published": 0, "in flight beyond the limit, limit": 0,
			"never admitted, counter": 0, "never admitted, counter, as published": 20, "never admitted, limit": 0, "admitted out": 0,
			"long-lived workers at work, counter": 8, "long-lived workers at work, Pool": 2}, figures.Shows,
			[]string{"lets 5.00 more run than the limit", "8.00 work on", "leaves 20.0 of 20 waiting for ever", "Ours lets no more run than the limit"}, []string{"overtaken"}},
		{"strict", "E1", values{"in flight": 0, "never admitted": 0, "admitted out": 0, "long-lived": 2}, figures.Absent, []string{"no more run than the limit; of 8", "2.00 work on"}, []string{"for ever"}},
		{"the integral helps", "E2", values{"error at last, P": 8, "error at last, PID": 2}, figures.Shows, []string{"the three parts together are closer"}, nil},
		{"the integral harms", "E2", values{"error at last, P": 2, "error at last, PID": 8}, figures.Absent, []string{"the proportional part alone is closer"}, nil},
		{"no clear difference", "E2", nil, figures.Absent, []string{"are not clearly closer at last"}, nil},
		{"good in all", "E3", values{"limit": 1.5}, figures.Shows, []string{"in 6 of 6 works", "1.50 times the limit needed"}, nil},
		{"bad in most", "E3", values{"down32": 0.1, "mixed": 0.5, "thrash40": 0.5, "limit, down32": 20}, figures.Absent, []string{"in 3 of 6 works", "20.0 times the limit needed (down32", "down32 0.100 to 0.100"}, nil},
		{"suits", "E4", values{"reading, own": 50, "reading, machine": 100}, figures.Shows, []string{"the talk's metric leads to 0.9", "own CPU reads 50.0 %", "machine CPU 100 %"}, []string{"not lead"}},
		{"does not suit", "E4", values{"own CPU, extload": 0.5}, figures.Absent, []string{"does not lead to 0.9", "extload 0.5"}, nil},
		{"no fault", "E5", values{"never": 0, "goroutines left": 0, "highest": 98, "limit lost": 0}, figures.Absent, []string{"Ours has none of the published faults"}, []string{"Ours has faults"}},
		{"the published faults", "E5", values{"never": 0, "never admitted, as published": 63, "goroutines left": 0, "highest": 98, "highest limit, as published": 500, "limit lost": 0, "limit lost by a rest, as published": 60}, figures.Shows,
			[]string{"63.0 of 64 waiting goroutines are never admitted, the limit goes to 500, and a rest costs 60.0", "Ours has none"}, nil},
		{"all but one", "E5", values{"never": 0, "never admitted, as published": 63, "highest": 500, "limit lost": 0}, figures.Absent, nil, nil},
		{"faults of ours", "E5", values{"never": 63, "goroutines left": 20, "highest": 500, "limit lost": 50}, figures.Shows, []string{"never admitted", "left by Stop", "beyond its maximum", "a rest costs"}, []string{"none of"}},
		{"predicts", "E11", values{"threshold, published6": 75, "the author's, published6": 9, "Demand, published6": 4}, figures.Shows,
			[]string{"75.0 s under the threshold", "9.00 s under the author's, 4.00 s under Demand", "Demand has 0.0533 x"}, nil},
		{"does not predict", "E11", values{"the author's, published6": 9}, figures.Absent, []string{"1.00 s under the threshold"}, nil},
		{"reached", "E12", values{"Step, limit, down32": 9, "Step, limit, real": 300}, figures.Shows, []string{"has 1.00 of the best throughput where units compute", "in down32 its limit is 9.00 times"}, nil},
		{"perhaps reached", "E12", values{"Step, cpu4": 0.899}, figures.Untold, []string{"it is undecided whether it has 0.9 of the best throughput where units compute"}, nil},
		{"not reached", "E12", values{"Step, cpu4": 0.5}, figures.Absent, []string{"not even", "nowhere more than twice"}, nil},
	} {
		points := loopFigures(c.id, func(label string, _ float64) float64 {
			y, longest := math.NaN(), -1
			for beginning, v := range c.values {
				if strings.HasPrefix(label, beginning) && len(beginning) > longest {
					y, longest = v, len(beginning)
				}
			}
			return y
		})
		v := lab.JudgePool(c.id, points)
		all := v.Words + "\n" + strings.Join(v.Notes, "\n")
		if v.Effect != c.effect {
			t.Errorf("%s, %s: effect is %v, want %v: %s", c.id, c.what, v.Effect, c.effect, all)
		}
		for _, s := range c.says {
			if !strings.Contains(all, s) {
				t.Errorf("%s, %s: it does not say %q: %s", c.id, c.what, s, all)
			}
		}
		for _, s := range c.silent {
			if strings.Contains(all, s) {
				t.Errorf("%s, %s: it says %q: %s", c.id, c.what, s, all)
			}
		}
		if v.Ours == nil || !(v.Ours.Ratio > 0) {
			t.Errorf("%s, %s: there is nothing of ours", c.id, c.what)
		}
	}
}
