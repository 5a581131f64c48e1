package sim_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestProductFormKnownValues(t *testing.T) {
	// A delay and one core: the machine repairman (Erlang B with n sources).
	const z, s = 9.0, 1.0
	erlang := 1.0 // sum over k of n!/(n-k)! (s/z)^k, built up with n
	x := sim.ProductForm(z, 0, 0, s, 1, 20)
	for n := 1; n <= 20; n++ {
		erlang = 1
		term := 1.0
		for k := 1; k <= n; k++ {
			term *= float64(n-k+1) * s / z
			erlang += term
		}
		if want := (1 - 1/erlang) / s; !closeTo(x[n-1], want, 1e-9) {
			t.Errorf("n = %d: %v, want %v", n, x[n-1], want)
		}
	}
	// Two single servers of equal speed: n/(n+1) of the capacity.
	x = sim.ProductForm(0, 1, 1, 1, 1, 50)
	for n := 1; n <= 50; n++ {
		if want := float64(n) / float64(n+1); !closeTo(x[n-1], want, 1e-9) {
			t.Errorf("n = %d: %v, want %v", n, x[n-1], want)
		}
	}
	// Cores alone; two and a half of them.
	x = sim.ProductForm(0, 0, 0, 0.1, 2.5, 9)
	if len(x) != 3 || !closeTo(x[1], 20, 1e-9) || !closeTo(x[2], 25, 1e-9) {
		t.Errorf("cores alone: %v", x)
	}
}
