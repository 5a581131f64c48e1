package main

import "math"

func linefit() problem {
	return problem{"linefit", "the line with the least squares through points", []int{20_000_000, 1_000_000}, func(n int) solutions {
		points := make([]pair, n)
		for i := range points {
			points[i] = pair{float64(i), float64(i)}
		}
		return compare(pair.near, func(form int) pair {
			mean := reduce(form, n, func(s pair, lo, hi int) pair { return s.total(points[lo:hi]) }, pair.plus).per(n)
			return mean.line(reduce(form, n, func(s pair, lo, hi int) pair { return s.moments(points[lo:hi], mean) }, pair.plus))
		})
	}}
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
