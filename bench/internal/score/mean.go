package score

// A Point says that Limit was in force in the stretch that ends at At.
type Point struct {
	At    float64 // seconds since the start
	Limit int
}

// Mean returns the mean limit, weighted by time, between two times.
func Mean(points []Point, from, to float64) float64 {
	area, span, last := 0.0, 0.0, 0.0
	for i, p := range points {
		end := p.At
		if i == len(points)-1 {
			end = max(end, to)
		}
		if d := min(end, to) - max(last, from); d > 0 {
			area += d * float64(p.Limit)
			span += d
		}
		last = p.At
	}
	if span == 0 {
		return 0
	}
	return area / span
}
