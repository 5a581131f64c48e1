package main

import (
	"math"

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
	p := newPicture("Throughput over the limit; the rings: the least limit within 2 % of the most", 400)
	f := frame{left: 60, top: 112, width: 740, height: 240, x: logScale(octaves), y: linearScale(0, 1.05)}
	p.axes(f, octaveTicks(octaves), []tick{{0, "0"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}})
	p.text(60, 392, "limit: units of work in flight (logarithmic)")
	for i, c := range drawnCurves {
		s, err := scenario(c.scenario)
		if err != nil {
			return "", err
		}
		sweet, most := sim.SweetSpot(s, 0), 0.0
		var points []dot
		for step := range 32*octaves + 1 { // 32 an octave: a curve is drawn smooth
			n := int(math.Round(math.Exp2(float64(step) / 32)))
			x := sim.Throughput(s, 0, n)
			most = max(most, x)
			points = append(points, dot{float64(n), x})
		}
		for j := range points {
			points[j].y /= most
		}
		p.line(f, colours[i], points)
		p.mark(f, colours[i], dot{float64(sweet), sim.Throughput(s, 0, sweet) / most})
		p.legend(colours[i], 60+float64(i%2)*370, 50+float64(i/2)*22, c.what)
	}
	return p.end(), nil
}
