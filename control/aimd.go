package control

import (
	"fmt"
	"math"
	"time"
)

// AIMD raises the limit by one per window, and cuts it by a factor when the work says
// "too much": additive increase, multiplicative decrease.
//
// Source: D.-M. Chiu and R. Jain, "Analysis of the increase and decrease algorithms for
// congestion avoidance in computer networks", Computer Networks and ISDN Systems 17,
// 1989. With the limit x and a signal of one bit,
//
//	no congestion:  x + 1
//	congestion:     b·x, rounded down, and at least 1
//
// Among linear laws, only these bring independent users to equal shares. The law does
// not define congestion. The constants are those of AIMDLimit in Netflix'
// concurrency-limits (version of 2026-01): b = 0.9, and 20 to begin with. Congestion is
// an outcome that says so, or a unit in flight for more than 5 s (here the mean of a
// window). As there, the limit is not raised while less than half of it is in use. Its
// bounds, 20 and 200, are the caller's here, and its window of 1 s is [AIMD.Period].
//
// So the law needs work that says when it is too much. Otherwise it rises for ever.
// Slow, which was not published, can prevent that.
//
// Set the fields before the first call of Next.
type AIMD struct {
	Initial int           // first limit decided; 0: the one in force. NewAIMD sets 20, as published
	Max     int           // highest limit decided; 100,000 if not set
	Timeout time.Duration // a window with a longer mean time in flight is congestion; 5 s if not set, as published
	Period  time.Duration // shortest window; 100 ms if not set, the least that is allowed as published

	// Slow also counts a window as congestion if its mean time in flight is more than
	// that many times the mean of the quickest window; 2 is usual. 0, the default,
	// turns it off.
	Slow float64

	decrease float64
	trips    tripmeter
	quickest float64 // least time in flight of a window, s; 0: none yet
}

// defaultTimeout is as published.
const defaultTimeout = 5 * time.Second

// NewAIMD returns the law. decrease is the factor of the limit after congestion; 0.9 is
// published, TCP's is 0.5. It panics unless decrease is above 0 and below 1.
func NewAIMD(decrease float64) *AIMD {
	if !(decrease > 0 && decrease < 1) {
		panic(fmt.Sprintf("control: NewAIMD(%v): want a factor above 0 and below 1, such as 0.9", decrease))
	}
	return &AIMD{Initial: initialLimit, Max: defaultMax, Timeout: defaultTimeout, Period: defaultPeriod, decrease: decrease}
}

// Next takes one step when a window is over; otherwise it keeps the limit. A window is
// a period, and longer until ten units have ended. The first reading begins the first
// window, at the initial limit.
func (a *AIMD) Next(r Reading) Decision {
	period := orDefault(a.Period, defaultPeriod)
	t, wait, ok := a.trips.next(r, period, a.Initial, a.Max)
	if !ok {
		return wait
	}
	why := a.congestion(t)
	if a.quickest == 0 || t.time > 0 && t.time < a.quickest {
		a.quickest = t.time
	}
	to := r.Limit
	switch {
	case why != "":
		to = max(1, int(math.Floor(a.decrease*float64(r.Limit))))
	case 2*t.peak >= float64(r.Limit):
		why, to = "no sign of congestion", max(r.Limit, min(orDefault(a.Max, defaultMax), r.Limit+1))
	}
	d := move(r.Limit, to, period, why)
	if t.dropped && to < r.Limit {
		d.Reason.Kind, d.Reason.Note = Overloaded, ""
	}
	return d
}

// congestion says what speaks of congestion in a window; "" is nothing.
func (a *AIMD) congestion(t trip) string {
	timeout := orDefault(a.Timeout, defaultTimeout)
	switch {
	case t.dropped:
		return "the work reported overload"
	case t.time > timeout.Seconds():
		return "units take longer than " + timeout.String()
	case a.Slow > 0 && a.quickest > 0 && t.time > a.Slow*a.quickest:
		return fmt.Sprintf("units take %s, %.1f times the quickest", shortly(t.time), t.time/a.quickest)
	}
	return ""
}
