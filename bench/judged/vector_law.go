package main

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// An arc is Vector's law, adaptive request concurrency, as its documentation and
// settings describe it: once in a mean round trip the limit grows by one if it was
// reached and the trips of that time took no longer than those before, and is cut by
// 0.9 where they took longer by 2.5 deviations or the receiver pushed back. It is
// here to show that the runner is right: with it, the runs must be within the bands.
type arc struct {
	next            time.Duration
	past            float64 // mean time of the trips before, with alpha 0.4, s
	variance        float64
	known           bool
	sum             float64 // of the trips since the last decision
	n               int
	reached, pushed bool
	averaged        sampled
}

const (
	arcAlpha      = 0.4
	arcDeviations = 2.5
	arcCut        = 0.9
)

func (a *arc) started(l *limiter) { a.reached = a.reached || l.inFlight+1 >= l.limit }
func (a *arc) resized(*limiter)   {}

func (a *arc) ended(l *limiter, began time.Duration, o sweetspot.Outcome) {
	now := l.clock.now
	if o == sweetspot.Done {
		a.sum += (now - began).Seconds()
		a.n++
	} else {
		a.pushed = true
	}
	// To the microsecond: equal times must have an equal mean.
	current := math.Round(a.sum/float64(a.n)*1e6) / 1e6
	switch {
	case !a.known && a.n > 0:
		a.known = true
		a.past = current
		a.next = now + seconds(current)
		return
	case !a.known || now < a.next:
		return
	}
	if a.n > 0 {
		a.averaged.add(current, now)
	}
	l.setLimit(a.decide(l.limit, current))
	if a.n > 0 {
		d := current - a.past
		a.past += arcAlpha * d
		a.variance = (1 - arcAlpha) * (a.variance + arcAlpha*d*d)
	}
	a.next = now + seconds(a.past)
	a.sum, a.n, a.reached, a.pushed = 0, 0, false, false
}

// decide returns the limit after one; current is NaN if no trip has ended.
func (a *arc) decide(limit int, current float64) int {
	switch {
	case limit < vectorMaxLimit && a.reached && !a.pushed && current <= a.past:
		return limit + 1
	case limit > 1 && (a.pushed || current >= a.past+arcDeviations*math.Sqrt(a.variance)):
		return max(1, int(float64(limit)*arcCut))
	}
	return limit
}
