package control_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// With less work than permits the limit follows the demand down, never below
// it; when work comes back it grows again.
func TestSearchFollowsTheDemand(t *testing.T) {
	c := control.NewSearch()
	want := 1000
	// While there is little work it comes and goes, so that the limit hardly
	// ever holds anybody back.
	p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
	p.demand = func(time.Duration) int { return want }
	p.run(c, 4, 10*time.Second)
	if home := c.Home(); home < 80 {
		t.Fatalf("the limit stands at %d with work for all, want about 100", home)
	}
	want = 10
	grew, below := 0, 0
	p.see = func(r control.Reading, d control.Decision) {
		if r.At > 11*time.Second && d.Limit > r.Limit {
			grew++
		}
		if d.Limit < want {
			below++
		}
	}
	p.run(c, 0, 40*time.Second)
	if home := c.Home(); home > 2*want {
		t.Errorf("30 s with %d units to run, and the limit stands at %d", want, home)
	}
	if below > 0 {
		t.Errorf("%d decisions below the demand", below)
	}
	if grew > 0 {
		t.Errorf("the limit grew %d times while nobody waited", grew)
	}
	want, p.see = 1000, nil
	p.run(c, 0, 60*time.Second)
	if home := c.Home(); home < 80 {
		t.Errorf("20 s after the work came back the limit stands at %d, want about 100", home)
	}
}

// Nothing completes for a minute: the limit stays in sight of what it was, and
// the search goes on when the work does.
func TestSearchSurvivesStuckWork(t *testing.T) {
	stuck := false
	healthy := server(40, 50*time.Millisecond)
	p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
		if stuck {
			return 0
		}
		return healthy(n, at)
	}}
	c := control.NewSearch()
	p.run(c, 4, 10*time.Second)
	stuck = true
	seen := newSweep()
	p.see = seen.see
	p.run(c, 0, 70*time.Second)
	if seen.most > 40*8 {
		t.Errorf("while nothing completed, up to %d units were let in", seen.most)
	}
	stuck, p.see = false, nil
	p.run(c, 0, 100*time.Second)
	if home := c.Home(); home < 34 || home > 160 {
		t.Errorf("30 s after the work went on the limit stands at %d, want about 40", home)
	}
}

// Work that never completes anything from the start gets more units while the
// CPUs are idle, up to a bound, and none where the CPUs are busy.
func TestSearchWithoutAnyCompletion(t *testing.T) {
	for _, test := range []struct {
		busy      float64 // CPUs in use
		low, high int
	}{
		{0, 8, 8 * 4},
		{4, 1, 4},
	} {
		p := &fluid{cpus: 4, rate: func(int, time.Duration) float64 { return 0 }}
		p.edit = func(r *control.Reading) {
			r.OwnCPU = test.busy * r.At.Seconds()
			r.MachineCPU = r.OwnCPU
		}
		c := control.NewSearch()
		p.run(c, 4, 60*time.Second)
		if home := c.Home(); home < test.low || home > test.high {
			t.Errorf("%v of 4 CPUs busy: the limit stands at %d, want %d to %d", test.busy, home, test.low, test.high)
		}
	}
}

// Reports of overload cut the limit, to 0.7 of it, at most once per turnover of
// the units in flight.
func TestSearchCutsOnOverload(t *testing.T) {
	p := &fluid{cpus: 4, rate: server(1000, 50*time.Millisecond)}
	var overloads int64
	p.edit = func(r *control.Reading) { r.Overloads = overloads }
	c := control.NewSearch()
	p.run(c, 64, 2*time.Second)
	from := p.r.Limit
	var cuts []control.Reason
	var at []time.Duration
	p.see = func(r control.Reading, d control.Decision) {
		overloads += 10 // at every reading, for a second
		if d.Reason.Kind == control.Overloaded {
			cuts, at = append(cuts, d.Reason), append(at, r.At)
		}
	}
	p.run(c, 0, 3*time.Second)
	if len(cuts) < 2 || len(cuts) > 20 {
		t.Fatalf("%d cuts in a second of overload, want a few: turnover is 0.05 s", len(cuts))
	}
	if float64(cuts[0].To) > 0.71*float64(from)+1 {
		t.Errorf("the first cut is %v, from a limit of %d", cuts[0], from)
	}
	for i := 1; i < len(cuts); i++ {
		if pause := at[i] - at[i-1]; pause < 50*time.Millisecond {
			t.Errorf("cuts at %v and %v: less than a turnover apart", at[i-1], at[i])
		}
		if cuts[i].From != cuts[i-1].To || cuts[i].To > cuts[i].From {
			t.Errorf("%+v follows %+v", cuts[i], cuts[i-1])
		}
	}
	if home := c.Home(); home < 1 || home >= from/2 {
		t.Errorf("after a second of overload the limit stands at %d, from %d", home, from)
	}
	// When the reports end, the limit comes back.
	low := c.Home()
	p.see = nil
	p.run(c, 0, 60*time.Second)
	if home := c.Home(); home <= low {
		t.Errorf("a minute without overload: the limit still stands at %d", home)
	}
}

func TestShedIsOnceATurnover(t *testing.T) {
	at := func(ms int, overloads int64) control.Reading {
		return control.Reading{At: time.Duration(ms) * time.Millisecond, Overloads: overloads, InFlight: 4}
	}
	for _, test := range []struct {
		name      string
		residence float64
		readings  []control.Reading
		want      []bool
	}{
		{"a residence time apart", 0.5,
			[]control.Reading{at(0, 0), at(10, 1), at(20, 2), at(400, 9), at(600, 9), at(610, 10), at(620, 11)},
			[]bool{false, true, false, false, false, true, false}},
		{"as many units apart as were in flight", 0.01,
			[]control.Reading{at(0, 0), at(10, 1), at(100, 2), at(200, 4), at(300, 5), at(400, 6)},
			[]bool{false, true, false, false, true, false}},
	} {
		if got := control.ShedDue(test.residence, test.readings...); !slices.Equal(got, test.want) {
			t.Errorf("%s: due %v, want %v", test.name, got, test.want)
		}
	}
}

func TestShedLetsAFewPass(t *testing.T) {
	at := func(completed, overloads int64) control.Reading {
		return control.Reading{At: time.Duration(completed) * time.Millisecond, Completed: completed, Overloads: overloads}
	}
	got := control.ShedDue(0.01,
		at(100, 0), at(200, 1), // earned in 200 units
		at(300, 2),                   // one too many
		at(10_300, 2), at(10_400, 5), // three are the most
		at(10_450, 6),                               // a fourth
		at(10_650, 7), at(10_850, 8), at(11_000, 9)) // one in 200, and one sooner
	want := []bool{false, false, true, false, false, true, false, false, true}
	if !slices.Equal(got, want) {
		t.Errorf("due %v, want %v", got, want)
	}
}
