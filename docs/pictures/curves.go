package main

import (
	"math"

	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// drawnCurves are the scenarios whose throughput is drawn, and what they are.
var drawnCurves = []struct{ scenario, what string }{
	{"cpu8", "cpu8: computing, 8 CPUs"},
	{"mixed", "mixed: 1 ms of CPU and 9 ms of waiting, 4 CPUs"},
	{"down32", "down32: a service of 32 slots"},
	{"thrash40", "thrash40: beyond 40 memory no longer fits"},
}

// curves draws throughput over the limit, in the steady state.
func curves() (string, error) {
	const octaves = 9
	l := &plot.Lines{
		Title: "Throughput over the limit; marked: the least limit within 2 % of the most",
		Axis:  "limit: units of work in flight", Log2: true,
		Measure: plot.Measure{Unit: "% of the most", Better: "higher"},
	}
	for _, c := range drawnCurves {
		s, err := scenario(c.scenario)
		if err != nil {
			return "", err
		}
		curve := plot.Series{Name: c.what, Curve: true, Ring: float64(sim.SweetSpot(s, 0))}
		most, last := 0.0, 0
		at := func(n int) {
			x := sim.Throughput(s, 0, n)
			most, last = max(most, x), n
			curve.Points = append(curve.Points, plot.Point{X: float64(n), Y: x})
		}
		for step := range 32*octaves + 1 { // 32 an octave: a curve is drawn smooth
			n := int(math.Round(math.Exp2(float64(step) / 32)))
			if sweet := int(curve.Ring); last < sweet && sweet < n {
				at(sweet)
			}
			if n > last {
				at(n)
			}
		}
		for i := range curve.Points {
			p := &curve.Points[i]
			p.Y *= 100 / most
			p.Low, p.High = p.Y, p.Y
		}
		l.Series = append(l.Series, curve)
	}
	return plot.Standalone(l), nil
}
