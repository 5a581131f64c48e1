package control_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func TestSchedule(t *testing.T) {
	waits := control.Window{N: 20, CPUs: 4, U: 0.1, Idle: 0.9}
	computes := control.Window{N: 4, CPUs: 4, U: 1}
	queues := control.Window{N: 40, CPUs: 4, U: 1, Q: 36}
	alone := control.Window{N: 1, CPUs: 4, U: 0.01, Idle: 0.99}
	for name, test := range map[string]struct {
		w             control.Window
		now, up, down float64
		cliff         int
		want          string
	}{
		"nothing due":                         {w: waits, now: 0.1, up: 9, down: 9, want: ""},
		"up":                                  {w: waits, now: 0.1, up: 0, down: 9, want: "tryUp"},
		"down":                                {w: waits, now: 0.1, up: 9, down: 0, want: "tryDown"},
		"both: who waits longer":              {w: waits, now: 0.3, up: 0.2, down: 0.1, want: "tryDown"},
		"scout":                               {w: waits, now: 60, up: 99, down: 99, want: "scout"},
		"no scout towards a cliff":            {w: waits, now: 60, up: 99, down: 99, cliff: 30, want: ""},
		"a unit alone has nowhere to go down": {w: alone, now: 0.1, up: 9, down: 0, want: ""},
		"all CPUs busy: never up":             {w: computes, now: 0.1, up: 0, down: 9, want: ""},
		"each on a CPU: never down":           {w: computes, now: 0.1, up: 0, down: 0, want: ""},
		"each on a CPU: below, after a while": {w: computes, now: 60, up: 0, down: 0, want: "tryBelow"},
		"a queue for the CPUs: down":          {w: queues, now: 0.1, up: 0, down: 0, want: "tryDown"},
	} {
		if got := control.Due(test.w, test.now, test.up, test.down, test.cliff); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A capacity that grows eightfold is found from the knee, and one that falls
// is followed down.
func TestSearchFollowsTheCapacity(t *testing.T) {
	k := 16
	c := control.NewSearch()
	p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 { return server(k, 30*time.Millisecond)(n, at) }}
	for _, step := range []struct{ k, low, high int }{{16, 15, 32}, {128, 115, 256}, {16, 15, 40}} {
		k = step.k
		p.run(c, 4, p.r.At+20*time.Second)
		if home := c.Home(); home < step.low || home > step.high {
			t.Errorf("20 s with room for %d: the limit stands at %d, want %d to %d", step.k, home, step.low, step.high)
		}
	}
}

// Throughput is flat from 16 to 64 and grows again after that: scouts see it.
func TestSearchSeesBehindAFlatStretch(t *testing.T) {
	c := control.NewSearch()
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 {
		switch {
		case n <= 16:
			return 50 * float64(n)
		case n <= 64:
			return 800
		}
		return 800 * min(float64(n), 640) / 64
	}}
	p.run(c, 4, 30*time.Second)
	if home := c.Home(); home < 500 {
		t.Errorf("the limit stands at %d, want about 640", home)
	}
}
