package call

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// A History is what is remembered of earlier calls of the same function: the
// first guess of the next one. It is never trusted with more than a guess.
type History struct {
	key    uintptr // the function's code; 0 if it is not to be remembered
	Cost   float64 // of an item, ns; 0 if unknown
	Limit  int     // what the controller arrived at, 0 if it was never asked
	Steady bool    // the last two calls found about the same cost

	// Calls too short for the controller take its first steps one a call.
	brief  bool    // this one began at Limit and ended before the controller had decided anything
	full   bool    // and the CPUs were busy all the time, maybe with other work
	items  int64   // and had so many items
	each   float64 // and took, for each of them, ns
	was    float64 // what the last such call took
	raised bool    // Limit is twice what that one had
	topped bool    // more than Limit was tried in vain
}

// table is where histories are kept. It is direct-mapped: the key gives the place, and
// a collision overwrites, so it is bounded and needs no lock. A key and a record that do
// not belong together, read while another call writes, are a bad guess, nothing worse.
var table [1 << 8]struct {
	key    atomic.Uintptr
	record atomic.Uint64 // Cost as a float32 above; below three bits, and Limit
	was    atomic.Uint64 // as a float64
}

func (h *History) place() int {
	return int(uint64(h.key) * 0x9e3779b97f4a7c15 >> 56) // Fibonacci hashing (Knuth, TAOCP 6.4)
}

// Load remembers calls of the function with that code.
func (h *History) Load(key uintptr) {
	h.key = key
	m := &table[h.place()]
	if m.key.Load() == key {
		w := m.record.Load()
		h.Cost, h.Limit = float64(math.Float32frombits(uint32(w>>32))), int(uint32(w)&(raisedBit-1))
		h.was = math.Float64frombits(m.was.Load())
		h.Steady, h.topped, h.raised = uint32(w)&steadyBit != 0, uint32(w)&toppedBit != 0, uint32(w)&raisedBit != 0
	}
}

// mostLimit is the highest limit that a limiter goes to by itself.
const mostLimit = 100_000

// These are above all limits.
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

// Learn takes note of what an item of this call cost, ns. Where calls are too short
// for the controller, the next gets twice the limit as long as that pays.
func (h *History) Learn(cost float64) {
	if h.brief && h.raised {
		wanted := pays
		if h.full {
			wanted = paysFull
		}
		switch {
		case h.items <= int64(h.Limit/2):
			return // so few tell nothing of what more at a time are worth
		case h.each*wanted > h.was:
			h.Limit /= 2
			h.Steady, h.raised, h.topped = true, false, true
			return // what a call takes at this limit is known
		}
	}
	h.Steady = cost > 0 && cost <= 2*h.Cost && h.Cost <= 2*cost
	h.Cost, h.was = cost, h.each
	switch {
	case !h.brief || h.items <= int64(h.Limit) || !h.Steady:
		h.raised, h.topped = false, false
	case !h.topped:
		h.Limit, h.raised = min(2*h.Limit, mostLimit), true
	}
}

// govern takes note of what the limiter of a call has learnt, which lasted that long.
func (h *History) govern(k loop.Learnt, lasted time.Duration) {
	h.brief, h.full = h.Limit == k.Settled && k.Undecided, k.Full
	h.items = k.Completed
	h.each = float64(lasted) / float64(max(h.items, 1))
	h.Limit = k.Settled
}

// Keep replaces what is remembered.
func (h *History) Keep() {
	m := &table[h.place()]
	w := uint64(math.Float32bits(float32(h.Cost)))<<32 | uint64(uint32(h.Limit))
	if h.Steady {
		w |= steadyBit
	}
	if h.topped {
		w |= toppedBit
	}
	if h.raised {
		w |= raisedBit
	}
	if m.key.Load() != h.key {
		m.key.Store(h.key)
	}
	if m.record.Load() != w {
		m.record.Store(w)
	}
	if was := math.Float64bits(h.was); m.was.Load() != was {
		m.was.Store(was)
	}
}

// Short reports whether n items are known to take no time worth a timer.
func (h *History) Short(n int) bool {
	return h.Cost > 0 && h.Cost*float64(n) < float64(WakeCost)
}

// Forget forgets all functions.
func Forget() {
	for i := range table {
		table[i].key.Store(0)
	}
}
