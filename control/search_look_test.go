package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// flat is work whose throughput is flat from 16 units in flight to beyond, and then rises to
// four times as much.
func flat(beyond int, each time.Duration) func(n int, _ time.Duration) float64 {
	return func(n int, _ time.Duration) float64 {
		x := max(min(float64(n), 16), min(16*float64(n)/float64(beyond), 64))
		return x / each.Seconds()
	}
}

// Where throughput is flat for a stretch and rises beyond it, the stairs of the first climb or a
// far look find the rise.
func TestSearchLooksBeyondAFlatStretch(t *testing.T) {
	for _, beyond := range []int{48, 100, 200} {
		p := &fluid{cpus: 4, rate: flat(beyond, time.Millisecond)}
		c := control.NewSearch()
		p.run(c, 4, 10*time.Second)
		if x, best := p.rate(c.Home(), 0), 64_000.0; x < 0.8*best {
			t.Errorf("flat from 16 to %d: after 10 s the limit stands at %d and does %.0f/s, want 80 %% of %.0f/s", beyond, c.Home(), x, best)
		}
	}
}

// The same where the rise comes after the search: only a far look can find it.
func TestSearchKeepsLookingFar(t *testing.T) {
	p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
		if at < 10*time.Second {
			n = min(n, 48)
		}
		return flat(48, 10*time.Millisecond)(n, at)
	}}
	c := control.NewSearch()
	p.run(c, 4, 10*time.Second)
	if home := c.Home(); home > 24 {
		t.Fatalf("the limit stands at %d before the rise: the test shows nothing", home)
	}
	p.run(c, 0, 95*time.Second) // looks beyond the double are saved up for 83 s
	if x, best := p.rate(c.Home(), p.r.At), 6400.0; x < 0.8*best {
		t.Errorf("85 s after the rise the limit stands at %d and does %.0f/s, want 80 %% of %.0f/s", c.Home(), x, best)
	}
}

// CPUs that are full all the time are not a veto: computing goroutines of this process use
// whatever the waiting work leaves.
func TestSearchFullCPUsAreNoVeto(t *testing.T) {
	for _, k := range []int{32, 100} {
		p := &fluid{cpus: 4, rate: server(k, 50*time.Millisecond)}
		p.edit = func(r *control.Reading) {
			r.OwnCPU = 4 * r.At.Seconds()
			r.MachineCPU = r.OwnCPU
		}
		c := control.NewSearch()
		p.run(c, 4, 10*time.Second)
		if x, best := p.rate(c.Home(), 0), p.rate(k, 0); x < 0.8*best {
			t.Errorf("after 10 s the limit stands at %d and does %.0f/s, want 80 %% of %.0f/s at %d", c.Home(), x, best, k)
		}
	}
}

// Units that slow each other down are best below one for each CPU: a disk that seeks, locks
// that spin. All CPUs look busy.
func TestSearchGoesBelowTheCPUs(t *testing.T) {
	for name, rate := range map[string]func(n int, _ time.Duration) float64{
		"disk": func(n int, _ time.Duration) float64 { return 200 / (1 + 0.5*float64(n-1)) },
		"spin": func(n int, _ time.Duration) float64 { return 100 * float64(n) / (1 + 0.15*float64(n*(n-1))) },
	} {
		best, at := 0.0, 0
		for n := 1; n <= 8; n++ {
			if x := rate(n, 0); x > best {
				best, at = x, n
			}
		}
		p := &fluid{cpus: 8, rate: rate}
		busy := 0.0
		p.edit = func(r *control.Reading) {
			busy += float64(min(r.Limit, 8)) * fluidTick.Seconds()
			r.OwnCPU, r.MachineCPU = busy, busy
		}
		c := control.NewSearch()
		p.run(c, 8, 60*time.Second)
		if x := rate(c.Home(), 0); x < 0.95*best {
			t.Errorf("%s: after 60 s the limit stands at %d and does %.0f/s, want 95 %% of %.0f/s at %d", name, c.Home(), x, best, at)
		}
	}
}

// Computing work stays at one unit a CPU: a look below costs little.
func TestSearchStaysAtTheCPUs(t *testing.T) {
	p := &fluid{cpus: 4, cpu: 0.01, rate: server(4, 10*time.Millisecond)}
	c := control.NewSearch()
	lost := 0.0
	p.run(c, 4, 5*time.Second)
	p.see = func(_ control.Reading, d control.Decision) { lost += max(0, 1-float64(d.Limit)/4) }
	p.run(c, 0, 65*time.Second)
	if home := c.Home(); home < 4 || home > 6 {
		t.Errorf("the limit stands at %d, want 4", home)
	}
	if lost /= 6000; lost > 0.02 {
		t.Errorf("looks below cost %.3f of the throughput, want at most 0.02", lost)
	}
}

// Below a limit of 2 there is only 1, whatever the step: a smaller one would ask again at once
// what is known.
func TestSearchDoesNotRepeatTheSmallestStep(t *testing.T) {
	p := &fluid{cpus: 4, rate: server(2, 50*time.Millisecond)}
	p.edit = func(r *control.Reading) { r.Max = 2 } // more is refused
	c := control.NewSearch()
	var looks []time.Duration
	p.see = func(r control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Probe {
			looks = append(looks, r.At)
		}
	}
	p.run(c, 2, 30*time.Second)
	if len(looks) < 2 || len(looks) > 6 {
		t.Errorf("looks at 1 after %v, want 2 to 6: the pauses between them double", looks)
	}
}

// A limit that fell short is left at once, and tried seldom.
func TestSearchLeavesAHopelessLimit(t *testing.T) {
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 {
		if n > 8 {
			return 40
		}
		return 100 * float64(n)
	}}
	p.edit = func(r *control.Reading) {
		r.OwnCPU, r.MachineCPU = 4*r.At.Seconds(), 4*r.At.Seconds()
	}
	c := control.NewSearch()
	stays, longest, beyond := time.Duration(0), time.Duration(0), time.Duration(0)
	p.see = func(r control.Reading, _ control.Decision) {
		switch stays += fluidTick; {
		case r.Limit <= 8:
			stays = 0
		case r.At > 5*time.Second:
			beyond += fluidTick
			longest = max(longest, stays)
		}
	}
	p.run(c, 8, 200*time.Second)
	if longest < fluidTick || longest > time.Second || beyond > 6*time.Second {
		t.Errorf("%v beyond the edge at 8, %v at once, from a limit that stands at %d", beyond, longest, c.Home())
	}
}

// edged is a server of so many places that falls to 2 beyond an edge, where far looks are dear.
func edged(places float64, n, edge int) float64 {
	if n > edge {
		places = 2
	}
	return min(places, float64(n)) / 0.02
}

// What a far look lost says nothing of one from half or twice the limit: there the next one is
// due soon, however much the last one cost.
func TestSearchLooksFarFromWhereItWent(t *testing.T) {
	p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
		places := 32.0
		if at > 20*time.Second && n > 32 {
			places = math.Pow(32, 0.6) * math.Pow(float64(n), 0.4)
		}
		return edged(places, n, 100)
	}}
	c := control.NewSearch()
	var before, moved, looked time.Duration
	p.see = func(r control.Reading, d control.Decision) {
		switch far := d.Experiment && d.Limit >= 2*c.Home(); {
		case far && moved == 0:
			before = r.At
		case d.Reason.Kind == control.Grow && r.At > 20*time.Second && d.Reason.To >= 64 && moved == 0:
			moved = r.At
		case far && looked == 0:
			looked = r.At
		}
	}
	p.run(c, 4, 60*time.Second)
	if before == 0 || looked == 0 || looked-moved > 8*time.Second {
		t.Errorf("a far look until %v, the limit twice as high at %v, and a far look at %v", before, moved, looked)
	}
}

// Small steps to and fro call for no far look that is as dear as the last one.
func TestSearchSwaysBelowAnEdge(t *testing.T) {
	best := 0.0
	p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
		return edged(32+5*float64(at/(10*time.Second)%2), n, 48)
	}}
	p.see = func(r control.Reading, _ control.Decision) { best += p.rate(40, r.At) * fluidTick.Seconds() }
	p.run(control.NewSearch(), 4, 5*time.Minute)
	if share := p.done / best; share < 0.95 {
		t.Errorf("%.3f of the best", share)
	}
}
