package control

import (
	"fmt"
	"math"
	"time"
)

// Vegas keeps a few units queueing. From the time in flight over the time without load
// it estimates how many units wait.
//
// Source: L. S. Brakmo, S. W. O'Malley and L. L. Peterson, "TCP Vegas: New techniques
// for congestion detection and avoidance", SIGCOMM 1994, in the form and with the
// constants of VegasLimit in Netflix' concurrency-limits (version of 2026-01). R is the
// mean time in flight of a window, R0 the least R so far, L the limit, and l the
// logarithm of L to the base 10, rounded down and at least 1:
//
//	q = L·(1 - R0/R), rounded up      the units that queue
//
//	overload reported:   L - l
//	q ≤ l:               L + beta·l
//	q < alpha·l:         L + l
//	q > beta·l:          L - l
//	else:                L
//
// alpha is 3 and beta 6, where the original has 1 and 3 packets for any window. The
// limit begins at 20. It stays while less than half of it is in use, and in a window
// that sets R0.
//
// Because R0 only falls, it is measured again now and then: after 30·L windows, times a
// random number from 0.5 to 1, the current window sets it. That is a window under load,
// which is the law's known weakness. So is an R0 set by one lucky window of quick
// units.
//
// The published maximum of 1000 is the caller's here. The published law may also step
// at each unit; its windows, as used here, last 1 s.
//
// Set the fields before the first call of Next.
type Vegas struct {
	Initial int           // first limit decided; 0: the one in force. NewVegas sets 20, as published
	Max     int           // highest limit decided; 100,000 if not set
	Period  time.Duration // shortest window; 100 ms if not set, the least that is allowed as published
	Seed    uint64        // of the random times at which R0 is measured anew; give several loops different ones

	alpha, beta float64
	trips       tripmeter
	level       float64 // L; only its whole part is in force
	unloaded    float64 // R0, s; 0: none yet
	dice        dice
	windows     int     // since R0 was last measured anew
	jitter      float64 // of when it will be
}

// renewAfter is how many windows, for each unit of the limit, R0 stands. As
// published.
const renewAfter = 30

// NewVegas returns the law that keeps alpha to beta times the logarithm of the limit in
// the queue; 3 and 6 are published. It panics unless 1 ≤ alpha ≤ beta.
func NewVegas(alpha, beta int) *Vegas {
	if alpha < 1 || beta < alpha {
		panic(fmt.Sprintf("control: NewVegas(%d, %d): want alpha of at least 1 and beta of at least alpha, such as 3 and 6", alpha, beta))
	}
	return &Vegas{Initial: initialLimit, Max: defaultMax, Period: defaultPeriod, alpha: float64(alpha), beta: float64(beta)}
}

// Next takes one step when a window is over; otherwise it keeps the limit. A window is
// a period, and longer until ten units have ended. The first reading begins the first
// window, at the initial limit.
func (v *Vegas) Next(r Reading) Decision {
	if !v.trips.windows.begun {
		v.renewLater()
	}
	period := orDefault(v.Period, defaultPeriod)
	t, wait, ok := v.trips.next(r, period, v.Initial, v.Max)
	if !ok {
		return wait
	}
	v.level = follow(v.level, r)
	if t.time > 0 && v.measure(t.time) {
		return move(r.Limit, r.Limit, period, "")
	}
	queue, by := v.step(t)
	if by == 0 {
		return move(r.Limit, r.Limit, period, "")
	}
	v.level = min(float64(orDefault(v.Max, defaultMax)), max(1, v.level+by))
	d := move(r.Limit, int(v.level), period, "")
	switch {
	case d.Limit == r.Limit:
	case t.dropped:
		d.Reason.Kind = Overloaded
	default:
		d.Reason.Note = fmt.Sprintf("about %.0f queue: units take %s, %s without load", queue, shortly(t.time), shortly(v.unloaded))
	}
	return d
}

// Unloaded returns R0, the time in flight without load that the law assumes. It is 0
// before the first window.
func (v *Vegas) Unloaded() time.Duration { return time.Duration(v.unloaded * float64(time.Second)) }

// measure keeps R0 up to date. It says whether the window was used up by that.
func (v *Vegas) measure(time float64) bool {
	v.windows++
	if float64(v.windows) >= v.jitter*renewAfter*v.level {
		v.renewLater()
		v.unloaded = time
		return true
	}
	if v.unloaded == 0 || time < v.unloaded {
		v.unloaded = time
		return true
	}
	return false
}

func (v *Vegas) renewLater() {
	v.windows, v.jitter = 0, 0.5+0.5*v.dice.float(v.Seed)
}

// step returns how many units queue, and by how much to move.
func (v *Vegas) step(t trip) (queue, by float64) {
	unit := max(1, math.Floor(math.Log10(math.Floor(v.level))))
	if t.time > 0 {
		queue = math.Ceil(v.level * (1 - v.unloaded/t.time))
	}
	switch {
	case t.dropped:
		return queue, -unit
	case 2*t.peak < v.level || t.time == 0:
		return queue, 0
	case queue <= unit:
		return queue, v.beta * unit
	case queue < v.alpha*unit:
		return queue, unit
	case queue > v.beta*unit:
		return queue, -unit
	}
	return queue, 0
}
