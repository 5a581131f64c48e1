package sense

// A ratchet turns increments that jitter into a running total that never falls
// and never grows by less than this process's own CPU time does.
type ratchet struct {
	begun bool
	own   float64 // own CPU seconds at the last call
	raw   float64 // sum of the increments
	total float64 // what was handed out
}

// add takes own, the process's CPU seconds so far, and delta, the CPU seconds
// that everybody used since the last call; ok says whether delta is known. It
// returns the new total, which starts at own. slack is by how much the sum of
// the increments may lag behind for no other reason than their resolution.
func (r *ratchet) add(own, delta float64, ok bool, slack float64) float64 {
	if !r.begun {
		r.begun = true
		r.own, r.raw, r.total = own, own, own
		return r.total
	}
	if own > r.own {
		r.total += own - r.own
		r.own = own
	}
	if !ok {
		r.raw = r.total
		return r.total
	}
	r.raw += delta
	if r.raw > r.total {
		r.total = r.raw
	}
	// A lag that jitter does not explain is there for good. Forget it, or what
	// others use later would first have to make up for it.
	if r.raw < r.total-slack {
		r.raw = r.total - slack
	}
	return r.total
}
