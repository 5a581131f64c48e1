package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// seen is a detector that knows 1000 units/s.
func seen() (*control.Detector, control.Window, *control.Work) {
	d, k := new(control.Detector), known(0.02)
	w := duelWindow(16, 1000)
	w.U, w.Idle = 0.5, 0.5
	for range 10 {
		d.Alarm(w, k)
	}
	return d, w, k
}

func TestDetector(t *testing.T) {
	for name, test := range map[string]struct {
		edit  func(*control.Window)
		alarm bool
	}{
		"the same":             {func(*control.Window) {}, false},
		"a tenth more":         {func(w *control.Window) { w.X *= 1.1 }, false},
		"a tenth less":         {func(w *control.Window) { w.X *= 0.9 }, false},
		"half more":            {func(w *control.Window) { w.X *= 1.5 }, true},
		"half":                 {func(w *control.Window) { w.X *= 0.5 }, true},
		"half, by few units":   {func(w *control.Window) { w.X *= 0.5; w.Comp = 10 }, false},
		"nothing":              {func(w *control.Window) { w.X, w.Comp = 0, 0 }, true},
		"a neighbor, not felt": {func(w *control.Window) { w.Idle -= 0.3 }, false},
	} {
		d, w, k := seen()
		if test.edit(&w); d.Alarm(w, k) != test.alarm {
			t.Errorf("%s: alarm %v, want %v", name, !test.alarm, test.alarm)
		}
	}
}

// Without a reference nothing is odd, and what is within the noise never is.
func TestDetectorIsQuiet(t *testing.T) {
	d, k := new(control.Detector), known(0.02)
	for i := range 3 {
		if d.Alarm(duelWindow(16, 100*math.Pow(10, float64(i))), k) {
			t.Errorf("alarm at window %d, without a reference", i)
		}
	}
	d, w, k := seen()
	for i := range 1000 {
		u := w
		u.X *= math.Exp(2 * d.SD(w, k) * float64(i%3-1))
		if d.Alarm(u, k) {
			t.Fatalf("alarm at window %d", i)
		}
	}
}

// A slow drift moves the reference.
func TestDetectorFollowsDrift(t *testing.T) {
	d, w, k := seen()
	for i := range 200 {
		w.X *= 1.005
		if d.Alarm(w, k) {
			t.Fatalf("alarm at window %d of a slow drift", i)
		}
	}
}

// near fails t unless a limit is within bounds.
func near(t *testing.T, what string, limit, low, high int) {
	t.Helper()
	if limit < low || limit > high {
		t.Errorf("%s: the limit stands at %d, want %d to %d", what, limit, low, high)
	}
}

// A capacity that rises or falls is found again within ten seconds. What is too many then
// goes by and by.
func TestSearchFollowsTheCapacity(t *testing.T) {
	for name, test := range map[string]struct{ before, after int }{
		"8 times as much": {16, 128},
		"an eighth":       {128, 16},
		"twice":           {50, 100},
		"half":            {100, 50},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
				k := test.before
				if at >= 20*time.Second {
					k = test.after
				}
				return server(k, 50*time.Millisecond)(n, at)
			}}
			c := control.NewSearch()
			p.run(c, 4, 20*time.Second)
			near(t, "before", c.Home(), test.before*9/10, test.before*3/2)
			p.run(c, 0, 30*time.Second)
			near(t, "10 s after the change", c.Home(), test.after*9/10, test.after*3)
			p.run(c, 0, 60*time.Second)
			near(t, "40 s after the change", c.Home(), test.after*9/10, test.after*3/2)
		})
	}
}

// Nothing completes for 3 s. Within 3 s more the limit is what it was. Of long units that is too
// soon: where a step down was under way, half of it stands.
func TestSearchSurvivesAnOutage(t *testing.T) {
	for _, each := range []time.Duration{5, 50, 500} {
		p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
			if at >= 20*time.Second && at < 23*time.Second {
				return 0
			}
			return server(100, each*time.Millisecond)(n, at)
		}}
		c := control.NewSearch()
		p.run(c, 4, 20*time.Second)
		if each < 500 {
			near(t, "before", c.Home(), 90, 150)
		}
		least := min(c.Home(), 100) * 9 / 10
		if each == 500 {
			least /= 2
		}
		p.run(c, 0, 26*time.Second)
		near(t, (each*time.Millisecond).String()+" a unit, 3 s after an outage", c.Home(), least, 200)
	}
}

// A pause of the readings, as of a laptop asleep or a process stopped, is not a change.
func TestSearchSurvivesAPauseOfReadings(t *testing.T) {
	for _, pause := range []time.Duration{time.Second, 10 * time.Second, time.Hour} {
		p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
		c := control.NewSearch()
		p.run(c, 4, 20*time.Second)
		p.r.At += pause
		p.run(c, 0, p.r.At+3*time.Second)
		near(t, "3 s after a pause of "+pause.String(), c.Home(), 90, 150)
	}
}

// A change is noticed however soon it follows another, and in the midst of what the first
// one has led to.
func TestSearchHearsOneChangeAfterAnother(t *testing.T) {
	for _, gap := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 10 * time.Second} {
		for _, k := range [][3]int{{16, 128, 16}, {128, 16, 128}, {100, 60, 30}, {60, 100, 200}} {
			p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
				places := k[0]
				switch {
				case at >= 20*time.Second+gap:
					places = k[2]
				case at >= 20*time.Second:
					places = k[1]
				}
				return server(places, 50*time.Millisecond)(n, at)
			}}
			c := control.NewSearch()
			p.run(c, 4, 30*time.Second+gap)
			if home := c.Home(); home < k[2]*9/10 {
				t.Errorf("%d places, then %d and after %v %d: 10 s later the limit stands at %d", k[0], k[1], gap, k[2], home)
			}
		}
	}
}

// Work or a ceiling that changes all the time costs little more than it takes away.
func TestSearchBearsWhatChangesAllTheTime(t *testing.T) {
	for _, every := range []time.Duration{200 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second} {
		odd := func(at time.Duration) bool { return at/every%2 == 1 }
		places := func(at time.Duration) int {
			if odd(at) {
				return 30
			}
			return 100
		}
		p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 { return server(places(at), 50*time.Millisecond)(n, at) }}
		best := 0.0
		p.see = func(r control.Reading, _ control.Decision) { best += p.rate(100, r.At) * fluidTick.Seconds() }
		p.run(control.NewSearch(), 4, 2*time.Minute)
		if share := p.done / best; share < 0.92 {
			t.Errorf("100 and 30 places in turn, for %v each: %.3f of the best", every, share)
		}

		const ceiling = 60
		p = &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
		p.edit = func(r *control.Reading) {
			if r.Max = 100_000; odd(r.At) {
				r.Max = ceiling
			}
			r.Limit = min(r.Limit, r.Max)
		}
		p.run(control.NewSearch(), 4, 2*time.Minute)
		if share := p.done / 120 / p.rate(ceiling, 0); share < 0.98 {
			t.Errorf("a ceiling that comes and goes, for %v each: %.3f of what it allows", every, share)
		}
	}
}

// Units that take longer than they used to need more of them in flight: what they took
// once no longer counts.
func TestSearchFollowsTheTimeThatUnitsTake(t *testing.T) {
	for _, after := range []struct {
		places int
		each   time.Duration
	}{{200, 100 * time.Millisecond}, {80, 40 * time.Millisecond}, {20, 100 * time.Millisecond}} {
		p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
			if at < 20*time.Second {
				return server(20, 10*time.Millisecond)(n, at)
			}
			return server(after.places, after.each)(n, at)
		}}
		c := control.NewSearch()
		p.run(c, 4, 20*time.Second)
		near(t, "20 places of 10 ms", c.Home(), 18, 40)
		p.run(c, 0, 35*time.Second)
		near(t, "15 s later", c.Home(), after.places*9/10, after.places*2)
	}
}
