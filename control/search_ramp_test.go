package control_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// The ramp doubles its way up and lands at the knee, not far beyond it.
func TestRampLandsAtTheKnee(t *testing.T) {
	for _, knee := range []int{3, 24, 100, 3000} {
		c := control.NewSearch()
		p := &fluid{cpus: 4, rate: server(knee, 50*time.Millisecond)}
		p.run(c, 4, 4*time.Second)
		home := float64(c.Home())
		if home < 0.95*float64(knee) || home > max(1.5*float64(knee), 6) {
			t.Errorf("knee at %d: the limit stands at %v after 4 s", knee, home)
		}
	}
}

// What computes needs as many units as CPUs, and gets no others tried for long.
func TestRampStaysWhereTheCPUsAreBusy(t *testing.T) {
	for _, cpus := range []int{1, 2, 16} {
		c := control.NewSearch()
		p := &fluid{cpus: float64(cpus), cpu: 0.005, rate: server(cpus, 5*time.Millisecond)}
		seen := newSweep()
		p.see = seen.see
		p.run(c, cpus, 20*time.Second)
		if c.Home() != cpus || seen.most > 2*cpus {
			t.Errorf("%d CPUs: stands at %d, tried up to %d", cpus, c.Home(), seen.most)
		}
	}
}

func window(n int) control.Window {
	return control.Window{N: n, Bound: 1, At: 100}
}

func TestCliff(t *testing.T) {
	var c control.Cliff
	if got := c.Below(1000, 100); got != 1000 {
		t.Errorf("without a cliff: %d, want 1000", got)
	}
	c.Suspect(window(32), window(64), -0.5, 0.01*0.01) // clear
	if got := c.Below(1000, 101); got != 63 {
		t.Errorf("after a fall at 64: %d, want 63", got)
	}
	if got := c.Below(20, 101); got != 20 {
		t.Errorf("well below the cliff: %d, want 20", got)
	}
	if got := c.Below(1000, 101+2*control.CliffHold); got != 1000 {
		t.Errorf("long after: %d, want 1000", got)
	}
}

func TestWhatIsNoCliff(t *testing.T) {
	for name, suspect := range map[string]func(*control.Cliff){
		"within the noise": func(c *control.Cliff) { c.Suspect(window(32), window(64), -0.3, 0.2*0.2) },
		"a small loss":     func(c *control.Cliff) { c.Suspect(window(32), window(64), -0.05, 1e-6) },
		"a gain":           func(c *control.Cliff) { c.Suspect(window(32), window(64), 0.5, 1e-6) },
		"downwards":        func(c *control.Cliff) { c.Suspect(window(64), window(32), -0.7, 1e-6) },
		"too little work": func(c *control.Cliff) {
			w := window(64)
			w.Bound = 0.1
			c.Suspect(window(32), w, -0.7, 1e-6)
		},
	} {
		var c control.Cliff
		if suspect(&c); c.Below(1000, 101) != 1000 {
			t.Errorf("%s: a cliff at %d", name, c.Below(1000, 101)+1)
		}
	}
}

// The lowest cliff stands; one that is found again stands longer.
func TestCliffsAreRemembered(t *testing.T) {
	var c control.Cliff
	c.Note(64, 0)
	c.Note(128, 1)
	if got := c.Below(1000, 2); got != 63 {
		t.Errorf("128 noted after 64: %d, want 63", got)
	}
	c.Note(50, 3)
	if got := c.Below(1000, 4); got != 49 {
		t.Errorf("50 noted after 64: %d, want 49", got)
	}
	again := 4.0 + control.CliffHold
	c.Note(50, again)
	if got := c.Below(1000, again+1.5*control.CliffHold); got != 49 {
		t.Errorf("found again: forgotten after 1.5 times the usual time: %d", got)
	}
}

// A cliff is not walked over again and again.
func TestSearchAvoidsTheCliff(t *testing.T) {
	edge := 40
	c := control.NewSearch()
	over := 0
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 {
		x := float64(n) / 0.02
		if n > edge {
			x = float64(edge) / 0.02 / (1 + 5*(float64(n)/float64(edge)-1))
		}
		return x
	}}
	p.see = func(r control.Reading, d control.Decision) {
		if d.Limit > 2*edge && r.At > 10*time.Second {
			over++
		}
	}
	p.run(c, 4, 40*time.Second)
	if home := c.Home(); home < edge*9/10 || home > edge {
		t.Errorf("the limit stands at %d, want up to %d", home, edge)
	}
	if share := float64(over) / 3000; share > 0.02 {
		t.Errorf("twice over the edge %.1f %% of the time", 100*share)
	}
}

func TestBackOff(t *testing.T) {
	waits := control.BackOff(12, control.DownMost, 0.001)
	if !slices.IsSorted(waits) || waits[0] > 1 || waits[11] != control.DownMost {
		t.Errorf("got %v, want growing intervals up to %v s", waits, control.DownMost)
	}
	if long := control.BackOff(12, control.UpMost, 5); math.Abs(long[0]-50) > 1e-9 || long[11] != 50 {
		t.Errorf("residence 5 s: got %v, want ten residences", long)
	}
}
