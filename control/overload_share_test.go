package control_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// The log likelihood ratio of two shares: known values, and that it finds differences by
// chance as rarely as it says.
func TestShareAbove(t *testing.T) {
	for _, test := range []struct{ k1, m1, k0, m0, want float64 }{
		{5, 100, 5, 100, 0},   // the same
		{1, 100, 5, 100, 0},   // below
		{0, 0, 5, 100, 0},     // nothing known
		{5, 100, 0, 0, 0},     // of the other
		{4, 100, 0, 400, 6.5}, // 4 in a fifth of the units: 4·ln 5 and a little
		{10, 10, 0, 10, 13.9}, // all and none: 20·ln 2
		{30, 100, 10, 100, 6.5},
	} {
		if got := control.ShareAbove(test.k1, test.m1, test.k0, test.m0); math.Abs(got-test.want) > 0.1 {
			t.Errorf("%g of %g over %g of %g: %.2f, want %.1f", test.k1, test.m1, test.k0, test.m0, got, test.want)
		}
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
	if lag := control.ShareLag(from, to); lag != 0.02 {
		t.Errorf("units may be in flight for %.3f s, want 0.02", lag)
	}
}
