package control_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func ExampleNewSearch() {
	// A simulated machine: 4 CPUs, units that compute for 1 ms and wait for 9.
	for _, s := range sim.Scenarios() {
		if s.Name != "mixed" {
			continue
		}
		law := func() control.Controller { return control.NewSearch() }
		v, err := sim.Judge([]sim.Scenario{s}, []uint64{1, 2, 3, 4, 5}, law)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("95 % of the best, search included:", v.Rows[0].Score > 0.95)
		fmt.Println("in the end at most twice the fewest units:", v.Rows[0].Ratio < 2)
	}
	// Output:
	// 95 % of the best, search included: true
	// in the end at most twice the fewest units: true
}

func ExampleSearch_Next() {
	c := control.NewSearch()
	d := c.Next(control.Reading{Limit: 8, CPUs: 8})
	fmt.Println(d.Limit, d.Reason)
	// Output: 8 starts at 8
}

func scenario(t testing.TB, name string, seconds float64) sim.Scenario {
	t.Helper()
	for _, s := range sim.Scenarios() {
		if s.Name == name {
			s.Seconds = min(s.Seconds, seconds)
			for len(s.Phases) > 1 && s.Phases[len(s.Phases)-1].From >= s.Seconds {
				s.Phases = s.Phases[:len(s.Phases)-1]
			}
			return s
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return sim.Scenario{}
}

// A tap stands between a law and a simulation: it may change readings, and it
// sees the decisions. It keeps decisions within the bounds, as the governor does.
type tap struct {
	law  control.Controller
	edit func(*control.Reading)
	see  func(control.Reading, control.Decision)
}

func (p tap) Next(r control.Reading) control.Decision {
	if p.edit != nil {
		p.edit(&r)
	}
	d := p.law.Next(r)
	if p.see != nil {
		p.see(r, d)
	}
	if r.Max > 0 {
		d.Limit = min(d.Limit, r.Max)
	}
	d.Limit = max(d.Limit, r.Min)
	return d
}

func simulate(t testing.TB, s sim.Scenario, seed uint64, c control.Controller) *sim.Result {
	t.Helper()
	r, err := sim.Run(s, seed, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The bars proper are those of scripts/law, on ten seeds. This net is
// coarser and quick: it catches a law that is broken, not one that is a little
// worse. Three scenarios take most of the time and have tests on fluids.
func TestSearchFindsTheSweetSpot(t *testing.T) {
	rerun.Serial(t)
	slow := []string{"io3000", "short20us", "plateau"}
	list := slices.DeleteFunc(sim.Scenarios(), func(s sim.Scenario) bool { return slices.Contains(slow, s.Name) })
	v, err := sim.Judge(list, []uint64{1, 2}, func() control.Controller { return control.NewSearch() })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Rows {
		if r.Score < 0.88 {
			t.Errorf("%s: score %.3f, want at least 0.88", r.Name, r.Score)
		}
		// Full CPUs hide that units are many: the README says so.
		if full := r.Name == "pareto" || r.Name == "waitstep" || r.Name == "scanned"; r.Ratio > 8 && !full {
			t.Errorf("%s: %.1f times the units needed in the last third", r.Name, r.Ratio)
		}
	}
	if v.Mean < 0.98 {
		t.Errorf("mean score %.4f, want at least 0.98\n%v", v.Mean, v)
	}
}

// The same readings give the same decisions.
func TestSearchIsDeterministic(t *testing.T) {
	rerun.Skip(t)
	var readings []control.Reading
	var decisions []control.Decision
	simulate(t, scenario(t, "step16-128", 40), 3, tap{law: control.NewSearch(), see: func(r control.Reading, d control.Decision) {
		readings, decisions = append(readings, r), append(decisions, d)
	}})
	again := control.NewSearch()
	for i, r := range readings {
		d, want := again.Next(r), decisions[i]
		if d.Limit != want.Limit || d.After != want.After || d.Experiment != want.Experiment || d.Reason.String() != want.Reason.String() {
			t.Fatalf("at %v: %+v, and again %+v", r.At, want, d)
		}
	}
}

func TestSearchStaysWithinBounds(t *testing.T) {
	rerun.Skip(t)
	for _, b := range []struct{ min, max int }{{1, 20}, {6, 20}, {7, 7}, {60, 100}, {1, 2}} {
		seen := newSweep()
		simulate(t, scenario(t, "mixed", 15), 1, tap{law: control.NewSearch(),
			edit: func(r *control.Reading) {
				r.Min, r.Max = b.min, b.max
				r.Limit = min(max(r.Limit, b.min), b.max)
			},
			see: func(r control.Reading, d control.Decision) {
				if r.At > 20*time.Millisecond { // the first reading has the limit of the simulation
					seen.see(r, d)
				}
			}})
		if seen.least < b.min || seen.most > b.max {
			t.Errorf("bounds %d to %d: the limit went from %d to %d", b.min, b.max, seen.least, seen.most)
		}
	}
}

// Bounds that fall in the middle of an experiment end it.
func TestSearchObeysVetoes(t *testing.T) {
	c := control.NewSearch()
	p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
	limit, experiments := 100_000, 0
	p.edit = func(r *control.Reading) { r.Max = limit }
	p.see = func(r control.Reading, d control.Decision) {
		if d.Experiment && limit > 50 && r.At > 3*time.Second {
			experiments++
			limit = 50 // below home
		}
	}
	p.run(c, 4, 20*time.Second)
	if experiments == 0 {
		t.Fatal("no experiment in 20 s: the test shows nothing")
	}
	if home := c.Home(); home > 50 {
		t.Errorf("the limit stands at %d, and at most 50 is allowed", home)
	}
	over := 0
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Limit > 50 {
			over++
		}
	}
	p.run(c, 0, 30*time.Second)
	if over > 0 {
		t.Errorf("%d decisions go beyond the veto", over)
	}
	limit = 100_000
	p.see = nil
	p.run(c, 0, 60*time.Second)
	if home := c.Home(); home < 80 || home > 200 {
		t.Errorf("30 s after the veto fell the limit stands at %d, want about 100", home)
	}
}

// A limit set manually is none of the law's business: it keeps the limit, and
// finds the way again when the hand is taken away.
func TestSearchKeepsQuietUnderAHand(t *testing.T) {
	c := control.NewSearch()
	p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
	hand := 0
	p.edit = func(r *control.Reading) {
		r.Min, r.Max = 1, 100_000
		if hand > 0 {
			r.Min, r.Max = hand, hand
		}
	}
	p.run(c, 4, 10*time.Second)
	for _, n := range []int{7, 300, 1} {
		hand = n
		wrong := 0
		from := p.r.At
		p.see = func(r control.Reading, d control.Decision) {
			if r.At > from+3*time.Second && d.Limit != n {
				wrong++
			}
		}
		p.run(c, 0, from+13*time.Second)
		if wrong > 0 {
			t.Errorf("set to %d by hand: %d decisions for another limit", n, wrong)
		}
	}
	hand, p.see = 0, nil
	p.run(c, 0, p.r.At+40*time.Second)
	if home := c.Home(); home < 80 || home > 200 {
		t.Errorf("after the hand was taken away the limit stands at %d, want about 100", home)
	}
}

// Every move of the limit that stands has a reason, and the reasons follow one
// another: each begins where the last one ended.
func TestSearchReasonsFollowTheLimit(t *testing.T) {
	rerun.Skip(t)
	for _, name := range []string{"mixed", "step16-128", "thrash40", "extcpu", "spin8", "waitstep"} {
		stands, moves := 0, 0
		simulate(t, scenario(t, name, 60), 2, tap{law: control.NewSearch(), see: func(r control.Reading, d control.Decision) {
			why := d.Reason
			if why.Kind != control.None && why.String() == "" {
				t.Errorf("%s at %v: a reason without words: %+v", name, r.At, why)
			}
			switch why.Kind {
			case control.None:
				// All reasons are handed out.
				if !d.Experiment && d.Limit != stands {
					t.Errorf("%s at %v: stands at %d, by its reasons at %d", name, r.At, d.Limit, stands)
					stands = d.Limit
				}
				return
			case control.Start:
				stands = why.To
			case control.Changed:
			case control.Probe, control.Stay:
				if why.To == why.From {
					t.Errorf("%s at %v: %v tries what stands", name, r.At, why)
				}
			case control.Grow, control.Shrink, control.AppLimited, control.Overloaded:
				moves++
				if up := why.To > why.From; up != (why.Kind == control.Grow) || why.To == why.From {
					t.Errorf("%s at %v: %+v", name, r.At, why)
				}
			}
			if why.From != stands {
				t.Errorf("%s at %v: %v (%v) begins at %d, the last ended at %d", name, r.At, why, why.Kind, why.From, stands)
			}
			if k := why.Kind; k == control.Grow || k == control.Shrink || k == control.AppLimited || k == control.Overloaded {
				stands = why.To
			}
		}})
		if moves == 0 {
			t.Errorf("%s: no moves: the test shows nothing", name)
		}
	}
}

// A search that is dropped, even in the middle of an experiment, is gone.
func TestDroppedSearchIsCollected(t *testing.T) {
	before := runtime.NumGoroutine()
	var dropped []weak.Pointer[control.Search]
	for i := range 10 {
		c := control.NewSearch()
		p := &fluid{cpus: 4, rate: server(20, 10*time.Millisecond)}
		p.run(c, 4, time.Duration(100+50*i)*time.Millisecond)
		dropped = append(dropped, weak.Make(c))
	}
	runtime.GC()
	runtime.GC()
	for i, w := range dropped {
		if w.Value() != nil {
			t.Errorf("search %d is still held", i)
		}
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines more than before", n-before)
	}
}

// A search that holds allocates nothing, also where a window ends.
func TestSearchHoldsWithoutAllocating(t *testing.T) {
	c := control.NewSearch()
	p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
	p.run(c, 4, 30*time.Second)
	c.Settle(1e9)
	if n := testing.AllocsPerRun(10, func() { // their mean, so that one of the runtime does not count
		for range 1000 {
			p.tick(c)
		}
	}); n > 0 {
		t.Errorf("%v allocations in 1000 readings, want none", n)
	}
}
