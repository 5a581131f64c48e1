package sim

import (
	"math"
	"math/rand/v2"
)

// noise is a factor that wanders: the exponential of a stationary first-order
// autoregressive process, of mean 1. It is by how much the machine is faster than
// usual, step by step each tick, and how large a unit is, step by step each unit.
type noise struct {
	sd, keep, add float64
	z             float64
	draws         *rand.Rand
}

// newNoise returns noise of a standard deviation of the logarithm, whose likeness to
// itself falls to 1/e in so many steps.
func newNoise(sd, steps float64, draws *rand.Rand) *noise {
	n := &noise{sd: sd, draws: draws}
	if sd > 0 {
		n.keep = math.Exp(-1 / steps)
		n.add = math.Sqrt(1 - n.keep*n.keep)
		n.z = draws.NormFloat64()
	}
	return n
}

func (n *noise) next() float64 {
	if n.sd == 0 {
		return 1
	}
	n.z = n.keep*n.z + n.add*n.draws.NormFloat64()
	return math.Exp(n.sd*n.z - n.sd*n.sd/2)
}
