package sim

import (
	"math"
	"math/rand/v2"
)

// noise is the factor by which the machine is faster or slower than usual: the
// exponential of a stationary first-order autoregressive process, of mean 1.
// It changes once a tick.
type noise struct {
	sd, keep, add float64
	z             float64
	draws         *rand.Rand
}

func newNoise(sd, timeConstant float64, draws *rand.Rand) *noise {
	n := &noise{sd: sd, draws: draws}
	if sd > 0 {
		n.keep = math.Exp(-tick / timeConstant)
		n.add = math.Sqrt(1 - n.keep*n.keep)
		n.z = draws.NormFloat64()
	}
	return n
}

// next returns the factor for one tick.
func (n *noise) next() float64 {
	if n.sd == 0 {
		return 1
	}
	n.z = n.keep*n.z + n.add*n.draws.NormFloat64()
	return math.Exp(n.sd*n.z - n.sd*n.sd/2)
}
