package sim

// A door is where units come to that may be turned away: of those that arrive at
// the limit it lets a quarter of the limit wait, and at least one, first come,
// first served. It knows how long units took from their arrival on.
type door struct {
	arrivals queue[float64] // when those who wait came

	good    float64 // the longest response that is any good, in the phase at hand, s
	usual   float64 // what 99 in 100 units take without a load, in the phase at hand, s
	refused int64
	inTime  int64     // responses that were good
	took    []float64 // all responses, over usual
}

// doorShare of the limit may wait. Servers must not run idle because those who
// come do not come evenly; a longer queue only makes all wait who are served.
const doorShare = 0.25

// opens reports whether who arrives now may come in or wait. A nil door is open.
func (d *door) opens(p *plant) bool {
	if d == nil {
		return true
	}
	if p.inFlight >= p.limit && float64(p.waiting) >= max(1, doorShare*float64(p.limit)) {
		d.refused++
		return false
	}
	d.arrivals.push(p.now)
	return true
}

func (d *door) leave(took float64) {
	if took <= d.good {
		d.inTime++
	}
	d.took = append(d.took, took/d.usual)
}
