package main

import (
	"context"
	"math"

	"github.com/sweetspot-go/sweetspot"
)

func linefit() problem {
	return problem{"linefit", "the line with the least squares through points", []int{20_000_000, 1_000_000}, func(n int) solutions {
		points := make([]pair, n)
		for i := range points {
			points[i] = pair{float64(i), float64(i)}
		}
		return compare(pair.near, [forms]func() pair{
			serial: func() pair {
				mean := pair{}.total(points).per(n)
				return mean.line(pair{}.moments(points, mean))
			},
			byHand: func() pair {
				mean := splitReduce(grain, 0, n, func(lo, hi int) pair { return pair{}.total(points[lo:hi]) }, pair.plus).per(n)
				return mean.line(splitReduce(grain, 0, n, func(lo, hi int) pair { return pair{}.moments(points[lo:hi], mean) }, pair.plus))
			},
			ours: func() pair { return linefitOurs(points) },
		})
	}}
}

func linefitOurs(points []pair) pair {
	zero := func() pair { return pair{} }
	sum, err := sweetspot.ReduceRange(context.Background(), len(points), zero,
		func(_ context.Context, s pair, lo, hi int) (pair, error) { return s.total(points[lo:hi]), nil }, pair.plus)
	must(err)
	mean := sum.per(len(points))
	sum, err = sweetspot.ReduceRange(context.Background(), len(points), zero,
		func(_ context.Context, s pair, lo, hi int) (pair, error) { return s.moments(points[lo:hi], mean), nil }, pair.plus)
	must(err)
	return mean.line(sum)
}

// A pair is a point, two sums, or the y at 0 and the slope of a line.
type pair struct{ x, y float64 }

func (p pair) plus(q pair) pair { return pair{p.x + q.x, p.y + q.y} }

func (p pair) per(n int) pair { return pair{p.x / float64(n), p.y / float64(n)} }

func (p pair) total(points []pair) pair {
	for _, q := range points {
		p = p.plus(q)
	}
	return p
}

// moments adds up, of each point, the square of how far x is from the mean, and that times y.
func (p pair) moments(points []pair, mean pair) pair {
	for _, q := range points {
		d := q.x - mean.x
		p = p.plus(pair{d * d, d * q.y})
	}
	return p
}

// line returns the line through the mean of the points with these moments.
func (p pair) line(moments pair) pair {
	slope := moments.y / moments.x
	return pair{p.y - slope*p.x, slope}
}

// near reports whether lines are the same, but for the order in which sums were rounded.
func (p pair) near(q pair) bool {
	return math.Abs(p.x-q.x) < 1e-3 && math.Abs(p.y-q.y) < 1e-9
}
