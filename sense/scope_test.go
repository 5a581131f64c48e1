package sense_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

// TestScope: what others take from us adds up right, though the increments jitter, and
// is never negative.
func TestScope(t *testing.T) {
	for name, c := range map[string]struct {
		own, others, spare float64 // CPUs
		want               float64
	}{
		"all CPUs are ours":     {1, 0.5, 0, 0.5},
		"others keep to a part": {1, 2, 3, 0},
		"others just do":        {1, 2.9, 3, 0},
		"and just do not":       {1, 3.5, 3, 0.5},
		"we do nothing":         {0, 3.5, 3, 0.5},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var s sense.Scope
		own, taken, before := 0.0, 0.0, 0.0
		const dt, n = 0.01, 10_000
		for range n {
			own += c.own * dt
			behind := 0.02 * rng.Float64() // what the count of everybody lags
			got := s.Taken(own, (c.own+c.others)*dt-behind+before, c.spare*dt, 0.04)
			if before = behind; got < 0 {
				t.Fatalf("%s: took %v", name, got)
			}
			taken += got
		}
		if got := taken / (n * dt); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: others take %v CPUs, want %v", name, got, c.want)
		}
	}
	// What others left long ago does not make up for what they take now.
	var s sense.Scope
	for range 100_000 {
		s.Taken(0, 0, 1, 0.04)
	}
	if got := s.Taken(0, 1, 0, 0.04); got < 0.95 {
		t.Errorf("others took %v of 1 CPU second after a quiet time", got)
	}
}
