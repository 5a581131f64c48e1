package main

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// drawnLaws are the laws whose runs are drawn, by the names of [control.ByName].
var drawnLaws = []string{"search", "hillclimbing", "aimd:2", "vegas", "gradient2", "dynamictarget:0.2"}

// laws draws the limit over time that each law sets in one scenario.
func laws() (string, error) {
	s, err := scenario("step16-128")
	if err != nil {
		return "", err
	}
	const octaves, columns, rowHeight = 10, 2, 190
	p := newPicture("step16-128: a service takes 16 units at a time, from 30 s on 128, from 60 s on 16", 640)
	p.legend("limit", 60, 44, "limit")
	p.legend("nstar", 160, 44, "N*, the sweet spot")
	p.text(360, 44, "throughput and units: mean over the time, as multiples of those of N*")
	for i, name := range drawnLaws {
		law, err := control.ByName(name)
		if err != nil {
			return "", err
		}
		r, err := sim.Run(s, 1, law)
		if err != nil {
			return "", err
		}
		f := frame{
			left: 60 + float64(i%columns)*385, top: 90 + float64(i/columns)*rowHeight, width: 345, height: 120,
			x: linearScale(0, s.Seconds), y: logScale(octaves),
		}
		p.axes(f, []tick{{0, "0"}, {30, "30 s"}, {60, "60 s"}, {90, "90 s"}}, []tick{{1, "1"}, {8, "8"}, {64, "64"}, {512, "512"}})
		best, limit := steps{}, steps{}.add(0, float64(s.P))
		for _, c := range r.Changes {
			limit = limit.add(c.At, float64(c.To))
		}
		units := 0.0 // mean of limit over N*
		for _, q := range r.Trace {
			best = best.add(q.At-0.1, float64(q.NStar)) // a point is the end of a tenth of a second
			units += float64(q.Limit) / float64(q.NStar) / float64(len(r.Trace))
		}
		p.text(f.left, f.top-10, fmt.Sprintf("%s: throughput %.2f, units %.1f", name, r.Score, units))
		p.line(f, "nstar", best.until(s.Seconds))
		p.line(f, "limit", limit.until(s.Seconds))
	}
	return p.end(), nil
}
