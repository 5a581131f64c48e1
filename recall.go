package sweetspot

import (
	"math"
	"sync/atomic"
)

// A recall is what is remembered of earlier calls of the same function: the
// first guess of the next one. It is never trusted with more than a guess.
type recall struct {
	key    uintptr // the function's code; 0 if it is not to be remembered
	cost   float64 // of an item, ns; 0 if unknown
	limit  int     // what the law arrived at, 0 if it was never asked
	steady bool    // the last two calls found about the same cost
}

// memories is where recalls are kept, each at a place that its key gives; who
// comes later to a taken place takes it. So it is bounded, and needs no lock. A
// key and a memory that do not belong together, read while another call writes,
// are a bad guess, nothing worse.
var memories [1 << 8]struct {
	key    atomic.Uintptr
	memory atomic.Uint64 // cost as a float32 above; below steady as one bit, and limit
}

func (r *recall) place() int {
	return int(uint64(r.key) * 0x9e3779b97f4a7c15 >> 56) // Fibonacci hashing (Knuth, TAOCP 6.4)
}

// load remembers calls of the function with that code.
func (r *recall) load(key uintptr) {
	r.key = key
	m := &memories[r.place()]
	if m.key.Load() == key {
		w := m.memory.Load()
		r.cost, r.limit = float64(math.Float32frombits(uint32(w>>32))), int(uint32(w)&^steadyBit)
		r.steady = uint32(w)&steadyBit != 0
	}
}

// steadyBit is above all limits, which are at most 100,000.
const steadyBit = 1 << 31

// learn takes note of what an item of this call cost, ns.
func (r *recall) learn(cost float64) {
	r.steady = cost > 0 && cost <= 2*r.cost && r.cost <= 2*cost
	r.cost = cost
}

// keep replaces what is remembered.
func (r *recall) keep() {
	m := &memories[r.place()]
	w := uint64(math.Float32bits(float32(r.cost)))<<32 | uint64(uint32(r.limit))
	if r.steady {
		w |= steadyBit
	}
	if m.key.Load() != r.key {
		m.key.Store(r.key)
	}
	if m.memory.Load() != w {
		m.memory.Store(w)
	}
}

// short reports whether n items are known to take no time worth a timer.
func (r *recall) short(n int) bool {
	return r.cost > 0 && r.cost*float64(n) < float64(wakeCost)
}
