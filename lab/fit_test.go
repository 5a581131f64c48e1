package lab_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// line makes points of a label at each x, one sample for each round.
func line(label string, xs []float64, y func(round int, x float64) float64) []figures.Point {
	var ps []figures.Point
	for _, x := range xs {
		p := figures.Point{Label: label, X: x, Unit: "ms"}
		for round := range 8 {
			p.Samples = append(p.Samples, y(round, x))
		}
		p.Y = p.Samples[0]
		ps = append(ps, p)
	}
	return ps
}

func TestFit(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	xs := []float64{1, 2, 4, 8, 1000}
	for name, c := range map[string]struct {
		y                           func(round int, x float64) float64
		intercept, slope, low, high float64
	}{
		"a line": {func(_ int, x float64) float64 { return 3 + 0.5*x }, 3, 0.5, 0.5, 0.5},
		"what is below x does not count": {func(_ int, x float64) float64 {
			if x < 2 {
				return 1e6
			}
			return 3 - 0.5*x
		}, 3, -0.5, -0.5, -0.5},
		"slow rounds do not tilt it": {func(round int, x float64) float64 { return 3*float64(1+round%2) + 0.5*x }, 4.5, 0.5, 0.5, 0.5},
		"rounds differ":              {func(round int, x float64) float64 { return 0.5 * x * float64(round%2*2) }, 0, 0.5, 0, 1},
	} {
		f := lab.FitBeyond(append(line("a", xs, c.y), line("b", xs, func(int, float64) float64 { return 7 })...), "a", 2)
		if f.Label != "a" || !near(f.Intercept, c.intercept) || !near(f.Slope, c.slope) || !near(f.Low, c.low) || !near(f.High, c.high) {
			t.Errorf("%s: %+v, want %g, %g (%g to %g)", name, f, c.intercept, c.slope, c.low, c.high)
		}
	}
}

// The line of least squares is not any line through some of the points.
func TestFitIsOfLeastSquares(t *testing.T) {
	ys := map[float64]float64{0: 1, 1: 3, 2: 2, 3: 5}
	f := lab.FitBeyond(line("a", []float64{0, 1, 2, 3}, func(_ int, x float64) float64 { return ys[x] }), "a", 0)
	if math.Abs(f.Slope-1.1) > 1e-9 || math.Abs(f.Intercept-1.1) > 1e-9 {
		t.Errorf("%+v, want 1.1 + 1.1 x", f)
	}
}
