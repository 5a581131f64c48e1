package control_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// The error first stays at 2, then vanishes.
func ExamplePID_Next() {
	p := control.PID{KP: 1, KI: 0.5, KD: 0.25}
	for _, e := range []float64{2, 2, 0, 0} {
		fmt.Println(p.Next(e))
	}
	// Output:
	// 3.5
	// 4
	// 1.5
	// 2
}

func ExamplePID_ResetIntegral() {
	p := control.PID{KI: 1}
	fmt.Println(p.Next(5), p.Next(5))
	p.ResetIntegral()
	fmt.Println(p.Next(5))
	// Output:
	// 5 10
	// 5
}

func TestPIDTermsAddUp(t *testing.T) {
	errors := []float64{1, -2, 3.5, 0, 7}
	all := control.PID{KP: 0.3, KI: 0.2, KD: 0.1}
	p, i, d := control.PID{KP: 0.3}, control.PID{KI: 0.2}, control.PID{KD: 0.1}
	for _, e := range errors {
		got, want := all.Next(e), p.Next(e)+i.Next(e)+d.Next(e)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("error %v: %v, want the sum of the terms %v", e, got, want)
		}
	}
}

// A first-order plant is driven to a set point that the integral term alone
// can hold: a proportional controller leaves an error there.
func TestPIDIntegralRemovesTheOffset(t *testing.T) {
	settle := func(p control.PID) float64 {
		y := 0.0
		for range 500 {
			y += 0.2 * (p.Next(10-y) - y)
		}
		return y
	}
	if y := settle(control.PID{KP: 1}); math.Abs(y-5) > 1e-6 {
		t.Errorf("KP alone settles at %v, want 5, half of the set point", y)
	}
	if y := settle(control.PID{KP: 1, KI: 0.2}); math.Abs(y-10) > 1e-6 {
		t.Errorf("with KI it settles at %v, want the set point 10", y)
	}
}

func TestPIDBounds(t *testing.T) {
	p := control.PID{KP: 1, Min: -2, Max: 3}
	for _, c := range []struct{ e, want float64 }{{10, 3}, {-10, -2}, {1, 1}} {
		if got := p.Next(c.e); got != c.want {
			t.Errorf("error %v: %v, want %v", c.e, got, c.want)
		}
	}
}

// After a long time at the stop the output must leave it as soon as the error
// changes sign. The unbounded controller shows what the sum would do.
func TestPIDDoesNotWindUp(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		bounded := control.PID{KP: 1, KI: 0.5, Min: -10, Max: 10}
		free := control.PID{KP: 1, KI: 0.5}
		for range 100 {
			bounded.Next(4 * sign)
			free.Next(4 * sign)
		}
		if u := bounded.Next(-4*sign) * sign; u >= 10 {
			t.Errorf("sign %v: still at the stop: %v", sign, u)
		}
		if u := free.Next(-4*sign) * sign; u < 100 {
			t.Errorf("sign %v: the sum without bounds gives only %v: the test shows nothing", sign, u)
		}
	}
}
