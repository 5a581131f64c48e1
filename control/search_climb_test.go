package control_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// The climb ends at the knee, wherever it begins, and soon.
func TestSearchClimbsToTheKnee(t *testing.T) {
	for _, test := range []struct {
		k, from int
		each    time.Duration
	}{
		{100, 4, 50 * time.Millisecond}, {100, 1, 50 * time.Millisecond}, {100, 64, 50 * time.Millisecond},
		{1000, 4, 50 * time.Millisecond}, {20, 4, time.Millisecond}, {6, 4, 200 * time.Millisecond},
	} {
		p := &fluid{cpus: 4, rate: server(test.k, test.each)}
		c := control.NewSearch()
		p.run(c, test.from, 3*time.Second)
		if home := c.Home(); home < test.k*85/100 || home > test.k*3/2 {
			t.Errorf("%d units at a time of %v, from %d: after 3 s the limit stands at %d", test.k, test.each, test.from, home)
		}
	}
}

// The knee is a number of units, whatever they weigh.
func TestSearchClimbsToTheKneeOfWeightedUnits(t *testing.T) {
	for _, weight := range []float64{0.001, 1, 1000} {
		p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
		p.edit = func(r *control.Reading) { r.Units = weight * float64(r.Completed) }
		knee := 0
		p.see = func(_ control.Reading, d control.Decision) {
			if d.Reason.Note == "the knee by Little's law" && knee == 0 {
				knee = d.Reason.To
			}
		}
		p.run(control.NewSearch(), 4, 3*time.Second)
		if knee < 105 || knee > 120 {
			t.Errorf("100 units at a time of weight %v: the climb ends at %d, want a tenth more than 100", weight, knee)
		}
	}
}

// Few long units say little. A first climb that cannot tell goes on, or it would stand at a
// few units for minutes.
func TestSearchClimbsOnWhereItCannotTell(t *testing.T) {
	left := 0
	for from := 2; from <= 9; from++ {
		s := &service{servers: 1000, each: time.Second}
		c := control.NewSearch()
		s.run(c, from, 30*time.Second)
		if c.Home() >= 100 {
			left++
		}
	}
	if left < 6 {
		t.Errorf("units of a second: after 30 s %d of 8 starts have left a few units in flight", left)
	}
}

// A start far above the knee is left by halves.
func TestSearchDescendsToTheKnee(t *testing.T) {
	p := &fluid{cpus: 4, rate: server(20, 10*time.Millisecond)}
	c := control.NewSearch()
	var tried []int
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Shrink {
			tried = append(tried, d.Reason.To)
		}
	}
	p.run(c, 1000, 10*time.Second)
	if home := c.Home(); home < 18 || home > 32 {
		t.Errorf("from 1000, after 10 s the limit stands at %d, want about 20", home)
	}
	if len(tried) < 4 || tried[0] != 500 || tried[1] != 250 {
		t.Errorf("went down by %v, want halves", tried)
	}
}

// The climb stops where more units do less.
func TestSearchKeepsBelowAnEdge(t *testing.T) {
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 {
		if n > 40 {
			return 400 * 40 / float64(n) // the working set no longer fits
		}
		return 20 * float64(n)
	}}
	c := control.NewSearch()
	p.run(c, 4, 10*time.Second)
	if home := c.Home(); home < 34 || home > 40 {
		t.Errorf("after 10 s the limit stands at %d, want a little below 40", home)
	}
	seen := newSweep()
	p.see = seen.see
	p.run(c, 0, 30*time.Second)
	if seen.most > 2*5*40 {
		t.Errorf("went up to %d, far beyond the edge at 40", seen.most)
	}
}
