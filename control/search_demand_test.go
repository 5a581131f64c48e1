package control_test

import (
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
// CPUs are idle, or while it is seen to sleep whatever others do to the CPUs, up to a bound, and
// none where the CPUs are busy.
func TestSearchWithoutAnyCompletion(t *testing.T) {
	for _, test := range []struct {
		busy      float64 // CPUs in use
		asleep    float64
		low, high int
	}{
		{0, 0, 128, 128},
		{4, 0, 1, 4},
		{4, 0.4, 1, 4},
		{4, 0.6, 128, 128},
	} {
		p := &fluid{cpus: 4, rate: func(int, time.Duration) float64 { return 0 }}
		p.edit = func(r *control.Reading) {
			r.OwnCPU = test.busy * r.At.Seconds()
			r.MachineCPU, r.Asleep = r.OwnCPU, test.asleep
		}
		// A server of few places would be overrun before its first answer.
		p.see = func(r control.Reading, d control.Decision) {
			if most := max(4, int(2*r.At/(8*time.Millisecond))); d.Limit > most {
				t.Fatalf("%v after the start the limit is %d, want %d at most", r.At, d.Limit, most)
			}
		}
		c := control.NewSearch()
		p.run(c, 4, 60*time.Second)
		if home := c.Home(); home < test.low || home > test.high {
			t.Errorf("%v of 4 CPUs busy: the limit stands at %d, want %d to %d", test.busy, home, test.low, test.high)
		}
	}
}

// On CPUs that others of the process keep full, goroutines wait for one all the time. That is
// no sign of a backlog here: the limit stays about the demand.
func TestSearchFollowsTheDemandOnFullCPUs(t *testing.T) {
	for _, want := range []int{3, 10, 50} {
		p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
		p.demand = func(time.Duration) int { return want }
		p.edit = func(r *control.Reading) {
			s := r.At.Seconds()
			r.OwnCPU, r.MachineCPU, r.Runnable = 4*s, 4*s, 3*s
		}
		c := control.NewSearch()
		p.run(c, 4, 10*time.Second)
		from, over := p.done, 0
		p.see = func(_ control.Reading, d control.Decision) {
			if d.Limit > 2*want {
				over++
			}
		}
		p.run(c, 0, 130*time.Second)
		if share := (p.done - from) / 120 / p.rate(want, 0); share < 0.98 || over > 12_000/10 {
			t.Errorf("%d units to run: %.3f of the best, with more than twice the limit for %d of 12,000 ticks", want, share, over)
		}
	}
}
