package control_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// The odds of two shares: known values, as logarithms.
func TestShareOdds(t *testing.T) {
	for _, test := range []struct{ k, m, p, q, want float64 }{
		{0, 0, 0.5, 0.1, 0}, // nothing known
		{7, 100, 0.2, 0.2, 0},
		{10, 10, 0.5, 0.05, 23.0}, // 10·ln 10
		{0, 100, 0.05, 0.01, -4.1},
		{5, 100, 0.05, 0.01, 4.1},
	} {
		if got := control.ShareOdds(test.k, test.m, test.p, test.q); math.Abs(got-test.want) > 0.1 {
			t.Errorf("%g of %g: odds of %g over %g are %.2f, want %.1f", test.k, test.m, test.p, test.q, got, test.want)
		}
	}
}

// More than usual is found soon, and by chance as rarely as the alarm says: the odds are
// those of a sequential test, so they may be read after each unit.
func TestShareWorse(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const alarm, memory = 12, 5000
	first := func(share float64, most int) int {
		k, m := 0.0, 0.0
		for n := range most {
			if m++; rng.Float64() < share {
				k++
			}
			switch x := control.ShareWorse(k, m, 0.05*memory, memory); {
			case x >= alarm:
				return n
			case x <= 0:
				k, m = 0, 0
			}
		}
		return most
	}
	const many = 200_000
	if n := first(0.05, many); n < many {
		t.Errorf("5 %% is more than 5 %% after %d units", n)
	}
	for range 100 {
		if n := first(0.2, many); n > 400 {
			t.Errorf("20 %% is more than 5 %% after %d units only", n)
		}
	}
	if n := first(0.6, many); n > 40 {
		t.Errorf("60 %% is more than 5 %% after %d units only", n)
	}
}

// What is refused longer than served is seen by the units in flight.
func TestShareLag(t *testing.T) {
	var from, to control.Reading
	to.At, to.Completed, to.Timed, to.Overloads = 10e9, 1000, 1000, 100
	to.Residence = 20      // 20 ms each
	to.Occupancy = 20 + 50 // and half a second for each that was refused
	if lag := control.ShareLag(from, to); lag < 0.4 || lag > 0.5 {
		t.Errorf("units may be in flight for %.2f s, want about half a second", lag)
	}
	to.Overloads = 0
	if lag := control.ShareLag(from, to); lag != 0 {
		t.Errorf("units may be in flight for %.3f s until they are refused, and none is", lag)
	}
}
