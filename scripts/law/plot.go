package main

import (
	"os"
	"path/filepath"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// plotted are the scenarios that are drawn, and what is to be seen.
var plotted = map[string]string{
	"mixed":      "1 ms of CPU and 9 ms of waiting on 4 CPUs",
	"step16-128": "a service takes 16 units at a time, from 30 s 128, from 60 s 16",
	"thrash40":   "beyond 40 units the working set no longer fits",
	"extcpu":     "pure CPU work; from 20 to 40 s a neighbour takes 4 of the 8 CPUs",
}

// drawPlots draws the first seed of the plotted scenarios into dir.
func drawPlots(dir string) error {
	for _, s := range sim.Scenarios() {
		what, ok := plotted[s.Name]
		if !ok {
			continue
		}
		r, err := sim.Run(s, 1, control.NewSearch())
		if err != nil {
			return err
		}
		file := filepath.Join(dir, "search-"+s.Name+".svg")
		if err := os.WriteFile(file, []byte(draw(s.Name+": "+what, s, r)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// draw returns a picture of a run: above the limit and N*, below the share of
// the best throughput that the limit sustains.
func draw(title string, s sim.Scenario, r *sim.Result) string {
	limit := plot.Trace{Name: "limit", Steps: true}
	limit.Add(0, float64(s.P))
	for _, c := range r.Changes {
		limit.Add(c.At, float64(c.To))
	}
	best, share := plot.Trace{Name: "N*, the sweet spot", Steps: true}, plot.Trace{Name: "share of the best throughput", Steps: true}
	for _, p := range r.Trace {
		at := p.At - 0.1 // a point is the end of a tenth of a second
		best.Add(at, float64(p.NStar))
		share.Add(at, p.X/p.XBest)
	}
	for _, t := range []*plot.Trace{&limit, &best, &share} {
		t.Until(s.Seconds)
	}
	return plot.Standalone(&plot.Course{Title: title, Panels: []plot.Panel{
		{Name: "limit", Log: true, Traces: []plot.Trace{limit, best}},
		{Name: "X / X*", Traces: []plot.Trace{share}},
	}})
}
