package load_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
)

func TestOthersSince(t *testing.T) {
	for _, c := range []struct {
		was, now [3]float64
		cpus     float64
		known    bool
	}{
		{[3]float64{0, 10, 5}, [3]float64{2, 14, 8}, 0.5, true}, // 4 s used, 3 of them by us, in 2 s
		{[3]float64{0, 10, 5}, [3]float64{2, 12, 7.1}, 0, true}, // ticks may count us for more than all
		{[3]float64{1, 10, 5}, [3]float64{1, 10, 5}, 0, false},  // no time
	} {
		if cpus, known := load.OthersSince(c.was, c.now); math.Abs(cpus-c.cpus) > 1e-9 || known != c.known {
			t.Errorf("%v to %v: %v %v, want %v %v", c.was, c.now, cpus, known, c.cpus, c.known)
		}
	}
	if !load.Known() {
		t.Error("the load of a Linux machine must be known")
	}
}

func TestIdleSeconds(t *testing.T) {
	const stat = "cpu  100 0 50 2000 300 0 7 9 0 0\ncpu0 50 0 25 1000 150 0 7 9 0 0\ncpu1 50 0 25 1000 150 0 0 0 0 0\nintr 1 2 3 4 5 6\nbtime 5\n"
	if idle, cpus, ok := load.IdleSeconds([]byte(stat)); idle != 23 || cpus != 2 || !ok {
		t.Errorf("idle %v s on %v CPUs, %v; want 23 s on 2", idle, cpus, ok)
	}
	for _, bad := range []string{"", "cpu  1 2 3 x 5 6\ncpu0 1 2 3 4 5 6\n", "cpu  1 2 3 4 5 6\n"} {
		if _, _, ok := load.IdleSeconds([]byte(bad)); ok {
			t.Errorf("%q: accepted", bad)
		}
	}
}
