package main

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/plot"
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
	c := &plot.Course{
		Title:   "step16-128: a service takes 16 units at a time, from 30 s on 128, from 60 s on 16",
		Caption: "throughput and units: mean over the time, as multiples of those of N*",
	}
	for _, name := range drawnLaws {
		law, err := control.ByName(name)
		if err != nil {
			return "", err
		}
		r, err := sim.Run(s, 1, law)
		if err != nil {
			return "", err
		}
		limit, best := plot.Trace{Name: "limit", Steps: true}, plot.Trace{Name: "N*, the sweet spot", Steps: true}
		limit.Add(0, float64(s.P))
		for _, c := range r.Changes {
			limit.Add(c.At, float64(c.To))
		}
		units := 0.0 // mean of limit over N*
		for _, q := range r.Trace {
			best.Add(q.At-0.1, float64(q.NStar)) // a point is the end of a tenth of a second
			units += float64(q.Limit) / float64(q.NStar) / float64(len(r.Trace))
		}
		limit.Until(s.Seconds)
		best.Until(s.Seconds)
		c.Panels = append(c.Panels, plot.Panel{
			Name: fmt.Sprintf("%s: throughput %.2f, units %.1f; limit", name, r.Score, units), Log: true,
			Traces: []plot.Trace{limit, best},
		})
	}
	return plot.Standalone(c), nil
}
