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

	// Calls too short for the law take its first steps one a call.
	brief  bool    // this one began at limit and ended before the law had decided anything
	full   bool    // and the CPUs were busy all the time, maybe with other work
	items  int64   // and had so many items
	each   float64 // and took, for each of them, ns
	was    float64 // what the last such call took
	raised bool    // limit is twice what that one had
	topped bool    // more than limit was tried in vain
}

// memories is where recalls are kept, each at a place that its key gives; who
// comes later to a taken place takes it. So it is bounded, and needs no lock. A
// key and a memory that do not belong together, read while another call writes,
// are a bad guess, nothing worse.
var memories [1 << 8]struct {
	key    atomic.Uintptr
	memory atomic.Uint64 // cost as a float32 above; below three bits, and limit
	was    atomic.Uint64 // as a float64
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
		r.cost, r.limit = float64(math.Float32frombits(uint32(w>>32))), int(uint32(w)&(raisedBit-1))
		r.was = math.Float64frombits(m.was.Load())
		r.steady, r.topped, r.raised = uint32(w)&steadyBit != 0, uint32(w)&toppedBit != 0, uint32(w)&raisedBit != 0
	}
}

// These are above all limits, which are at most 100,000.
const (
	steadyBit = 1 << (31 - iota)
	toppedBit
	raisedBit
)

const (
	// pays is how many times as fast items must be done at twice the limit. Where all of
	// them wait, two rounds take two thirds of three, the least that there is to gain; by
	// chance calls differ by less than a quarter.
	pays = 1.25
	// paysFull is pays where the CPUs are full. More at a time are likely to gain nothing
	// then, and calls differ more by chance, but items may wait beside the work that fills
	// the CPUs: below 1.5, the least that those gain.
	paysFull = 1.4
)

// learn takes note of what an item of this call cost, ns. Where calls are too short
// for the law, the next gets twice the limit as long as that pays.
func (r *recall) learn(cost float64) {
	if r.brief && r.raised {
		wanted := pays
		if r.full {
			wanted = paysFull
		}
		switch {
		case r.items <= int64(r.limit/2):
			return // so few tell nothing of what more at a time are worth
		case r.each*wanted > r.was:
			r.limit /= 2
			r.steady, r.raised, r.topped = true, false, true
			return // what a call takes at this limit is known
		}
	}
	r.steady = cost > 0 && cost <= 2*r.cost && r.cost <= 2*cost
	r.cost, r.was = cost, r.each
	switch {
	case !r.brief || r.items <= int64(r.limit) || !r.steady:
		r.raised, r.topped = false, false
	case !r.topped:
		r.limit, r.raised = min(2*r.limit, maxDefault), true
	}
}

// keep replaces what is remembered.
func (r *recall) keep() {
	m := &memories[r.place()]
	w := uint64(math.Float32bits(float32(r.cost)))<<32 | uint64(uint32(r.limit))
	if r.steady {
		w |= steadyBit
	}
	if r.topped {
		w |= toppedBit
	}
	if r.raised {
		w |= raisedBit
	}
	if m.key.Load() != r.key {
		m.key.Store(r.key)
	}
	if m.memory.Load() != w {
		m.memory.Store(w)
	}
	if was := math.Float64bits(r.was); m.was.Load() != was {
		m.was.Store(was)
	}
}

// short reports whether n items are known to take no time worth a timer.
func (r *recall) short(n int) bool {
	return r.cost > 0 && r.cost*float64(n) < float64(wakeCost)
}
