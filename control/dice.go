package control

import "math/rand/v2"

// dice are the random numbers of laws that want some, so as not to move in step
// with something else. They are the same in every run, since laws are
// deterministic.
type dice struct {
	pcg   rand.PCG
	ready bool
}

// float returns the next number, from 0 to below 1. seed counts in the first
// call.
func (d *dice) float(seed uint64) float64 {
	if !d.ready {
		d.ready = true
		d.pcg.Seed(seed, 0x9e3779b97f4a7c15) // any number will do
	}
	return float64(d.pcg.Uint64()>>11) / (1 << 53)
}

// between returns the next whole number from low to high.
func (d *dice) between(low, high int, seed uint64) int {
	return low + int(d.float(seed)*float64(high-low+1))
}
