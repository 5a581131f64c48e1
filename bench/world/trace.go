package main

import "sort"

// A point is what was counted up to an instant.
type point struct {
	at      float64 // seconds since the start
	done    int64
	refused int64
	limit   int
}

// A trace is the course of a measurement, in order of time, from 0 on. It has at least one point.
type trace []point

// rate returns the units done per second between two times, and 0 of none.
func (t trace) rate(from, to float64) float64 {
	if to <= from {
		return 0
	}
	return (t.done(to) - t.done(from)) / (to - from)
}

// refused returns the share of the units that were refused in all of the trace.
func (t trace) refused() float64 {
	p := t[len(t)-1]
	return float64(p.refused) / float64(max(1, p.refused+p.done))
}

func (t trace) seconds() float64 { return t[len(t)-1].at }

// limit returns the mean limit between two times, weighted by time: points are late when the
// CPUs are busy. The limit of a point was in force in the stretch that ends there.
func (t trace) limit(from, to float64) float64 {
	area, span, last := 0.0, 0.0, 0.0
	for i, p := range t {
		end := p.at
		if i == len(t)-1 {
			end = max(end, to)
		}
		if d := min(end, to) - max(last, from); d > 0 {
			area += d * float64(p.limit)
			span += d
		}
		last = p.at
	}
	if span == 0 {
		return 0
	}
	return area / span
}

// done returns the units done up to a time, between two points in proportion to the
// time: where hundreds of goroutines compute, points come late.
func (t trace) done(at float64) float64 {
	i := sort.Search(len(t), func(i int) bool { return t[i].at >= at })
	switch {
	case i == len(t):
		return float64(t[i-1].done)
	case i == 0:
		return float64(t[0].done)
	}
	a, b := t[i-1], t[i]
	share := (at - a.at) / (b.at - a.at)
	return float64(a.done) + share*float64(b.done-a.done)
}
