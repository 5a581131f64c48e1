package sim_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestNoise(t *testing.T) {
	const count = 200_000
	xs := sim.Noise(0.03, 0.2, 5, count)
	var sum, sum2, lag float64
	for i, x := range xs {
		sum += x
		sum2 += (x - 1) * (x - 1)
		if i >= 20 {
			lag += (x - 1) * (xs[i-20] - 1)
		}
	}
	if mean, sd := sum/count, math.Sqrt(sum2/count); !closeTo(mean, 1, 0.002) || !closeTo(sd, 0.03, 0.05) {
		t.Errorf("mean %v, standard deviation %v; want 1 and 0.03", mean, sd)
	}
	if r := lag / sum2; !closeTo(r, math.Exp(-1), 0.1) {
		t.Errorf("autocorrelation after the time constant %v, want %v", r, math.Exp(-1))
	}
	if x := sim.Noise(0, 1, 5, 3); x[0] != 1 || x[2] != 1 {
		t.Errorf("no noise: %v", x)
	}
}
