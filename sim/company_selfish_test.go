package sim_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

// Two processes without a name know only their own throughput. Even if they know its whole
// curve without noise, and each takes in turn the least number that is best for itself, they
// do not end at the best for both, not after 20 answers each: the server of processes2crowd.
func TestSelfishProcessesOnACrowdedServer(t *testing.T) {
	slow, err := sim.ParseCurve("1 up to 160; n/160")
	if err != nil {
		t.Fatal(err)
	}
	all := func(n int) float64 { return float64(min(n, 64)) / 0.02 / slow.At(n) }
	answer := func(other int) (best int) {
		top := 0.0
		for n := 1; n <= 1024; n++ {
			if x := all(n+other) * float64(n) / float64(n+other); x > 1.0001*top {
				best, top = n, x
			}
		}
		return best
	}
	for _, test := range []struct {
		from int // of one, while the other answers
		want float64
	}{{64, 0.83}, {32, 0.79}, {2, 0.79}} {
		a, b := test.from, answer(test.from)
		for range 20 {
			a = answer(b)
			b = answer(a)
		}
		if got := all(a+b) / all(64); !closeTo(got, test.want, 0.01) {
			t.Errorf("one begins with %d: they end at %d and %d, with %.3f of the best; want %.2f", test.from, a, b, got, test.want)
		}
	}
}
