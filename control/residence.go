package control

import (
	"fmt"
	"math"
	"time"
)

// A trip is what the laws from congestion control see of a window. To them a
// unit of work is a packet, its time in flight the round trip, and an outcome
// that says "too much" a packet that was lost.
type trip struct {
	time    float64 // mean time in flight of the units that ended, s; 0 if none was timed
	peak    float64 // most units in flight, or as good as that
	dropped bool    // a unit reported overload
}

// A tripmeter makes trips of readings.
type tripmeter struct{ windows sampler }

// leastTrips is how many units a window needs, so that one odd unit does not
// speak for all. As published.
const leastTrips = 10

// next returns the trip of the window that ends with r. A window ends after a
// period, and when enough units have ended. When none ends here, ok is false
// and d is the decision to keep the limit until it does, or the first one.
func (m *tripmeter) next(r Reading, period time.Duration, initial, most int) (t trip, d Decision, ok bool) {
	if !m.windows.begun {
		m.windows.next(r, period)
		return trip{}, begin(r, initial, most, period), false
	}
	from := m.windows.from
	if m.windows.over(r, period) && r.Completed-from.Completed+r.Overloads-from.Overloads < leastTrips {
		return trip{}, goOn(r), false
	}
	from, d, ok = m.windows.next(r, period)
	if !ok {
		return trip{}, d, false
	}
	t = trip{
		time:    residence(from, r),
		peak:    float64(max(from.InFlight, r.InFlight)),
		dropped: r.Overloads > from.Overloads,
	}
	if heldBack(from, r) {
		t.peak = max(t.peak, float64(r.Limit))
	}
	return t, Decision{}, true
}

// residence returns the mean time in flight between two readings, s. If no unit
// was timed, it follows by Little's law from the number in flight. It is 0 if
// neither is known.
func residence(from, to Reading) float64 {
	total, n := to.Residence-from.Residence, to.Timed-from.Timed
	if n <= 0 {
		total, n = to.Occupancy-from.Occupancy, to.Completed-from.Completed
	}
	if n <= 0 || !(total > 0) || math.IsInf(total, 0) {
		return 0
	}
	return total / float64(n)
}

// begin returns the decision to go to a law's own first limit; 0 is the one in
// force.
func begin(r Reading, initial, most int, after time.Duration) Decision {
	to := r.Limit
	if initial > 0 {
		to = min(initial, orDefault(most, defaultMax))
	}
	return Decision{Limit: to, After: after, Reason: Reason{Kind: Start, From: r.Limit, To: to, Gain: math.NaN()}}
}

// follow returns the limit before it was rounded down, or the limit in force if
// that differs because the caller clamped it or a user moved it.
func follow(level float64, r Reading) float64 {
	if math.Floor(level) != float64(r.Limit) {
		return float64(r.Limit)
	}
	return level
}

// shortly returns a time in words, with three digits or all before the point.
func shortly(s float64) string {
	switch {
	case s < 0.9995:
		return fmt.Sprintf("%.3g ms", 1000*s)
	case s < 999.5:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// initialLimit is where the laws of Netflix' concurrency-limits begin, as
// published.
const initialLimit = 20
