package control

import (
	"fmt"
	"math"
	"time"
)

// Gradient2 compares the present time in flight of units with its long-term mean, and
// shrinks the limit by the ratio of the two.
//
// Source: Gradient2Limit in Netflix' concurrency-limits (version of 2026-01), with its
// constants. With the limit L, the mean time in flight R of a window and the long-term
// mean M of these:
//
//	g  = tolerance·M/R, within 0.5 … 1
//	L' = 0.8·L + 0.2·(g·L + 4)
//
// M is the mean of the first 10 windows, and from then on an exponential mean over 600:
// each window counts 2/601. If M is more than twice R, after a long overload, a
// twentieth of M is dropped after the step. The limit begins at 20 and stays while less
// than half of it is in use.
//
// The constant 4 lets the limit rise by 0.8 per window while units are quick; it is the
// number of units that may queue. A tolerance of 1.5 accepts half as much time again;
// earlier versions had none, which is a tolerance of 1. M follows a lasting load, so in
// the long run the law takes any load for normal and rises again. It ignores overloads
// that the work reports. The published bounds, 20 and 200, are the caller's here; its
// window of 1 s is [Gradient2.Period].
//
// Set the fields before the first call of Next.
type Gradient2 struct {
	Initial int           // first limit decided; 0: the one in force. NewGradient2 sets 20, as published
	Max     int           // highest limit decided; 100,000 if not set
	Period  time.Duration // shortest window; 100 ms if not set, the least that is allowed as published

	tolerance float64
	trips     tripmeter
	level     float64 // L; only its whole part is in force
	long      longMean
}

const (
	// smoothing is how much of the way to its new value the limit goes in a
	// window. As published.
	smoothing = 0.2
	// queueRoom is how many units may queue. As published.
	queueRoom = 4
	// leastGradient keeps one slow window from cutting the limit by more than
	// half. As published.
	leastGradient = 0.5
)

// NewGradient2 returns the law. The limit shrinks when a window's time in flight is
// more than tolerance times the long-term mean; 1.5 is published. It panics unless
// tolerance is at least 1.
func NewGradient2(tolerance float64) *Gradient2 {
	if !(tolerance >= 1) || math.IsInf(tolerance, 0) {
		panic(fmt.Sprintf("control: NewGradient2(%v): want a tolerance of at least 1, such as 1.5", tolerance))
	}
	return &Gradient2{Initial: initialLimit, Max: defaultMax, Period: defaultPeriod, tolerance: tolerance}
}

// Next takes one step when a window is over; otherwise it keeps the limit. A window is
// a period, and longer until ten units have ended. The first reading begins the first
// window, at the initial limit.
func (g *Gradient2) Next(r Reading) Decision {
	period := orDefault(g.Period, defaultPeriod)
	t, wait, ok := g.trips.next(r, period, g.Initial, g.Max)
	switch {
	case !ok:
		return wait
	case t.time == 0:
		return move(r.Limit, r.Limit, period, "")
	}
	g.level = follow(g.level, r)
	long := g.long.add(t.time)
	if t.peak < g.level/2 {
		return move(r.Limit, r.Limit, period, "")
	}
	gradient := max(leastGradient, min(1, g.tolerance*long/t.time))
	to := (1-smoothing)*g.level + smoothing*(gradient*g.level+queueRoom)
	g.level = min(float64(orDefault(g.Max, defaultMax)), max(1, to))
	d := move(r.Limit, int(g.level), period, "")
	if d.Limit != r.Limit {
		d.Reason.Note = fmt.Sprintf("units take %s; long-term average %s", shortly(t.time), shortly(long))
	}
	return d
}

// A longMean is an exponential mean that begins as a plain one. All its
// constants are as published.
type longMean struct {
	value float64
	sum   float64 // of the first windows
	n     int
}

const (
	plainMeanOf = 10              // windows that count alike at the beginning
	longWeight  = 2.0 / (600 + 1) // of a window after that: a mean over 600
	farAbove    = 2               // times the newest window: a long overload is over
	isKept      = 0.95            // of the mean at each such window
)

// add takes a window and returns the mean with it. What is dropped, where the
// mean is far above, is missing from the next window on.
func (m *longMean) add(x float64) float64 {
	if m.n < plainMeanOf {
		m.n++
		m.sum += x
		m.value = m.sum / float64(m.n)
	} else {
		m.value += longWeight * (x - m.value)
	}
	mean := m.value
	if mean > farAbove*x {
		m.value *= isKept
	}
	return mean
}
