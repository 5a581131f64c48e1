package main

import (
	"os"
	"path/filepath"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// plotted are the scenarios that are drawn, and what is to be seen.
var plotted = map[string]string{
	"mixed":      "1 ms of CPU and 9 ms of waiting on 4 CPUs",
	"step16-128": "a service takes 16 units at a time, from 30 s 128, from 60 s 16",
	"thrash40":   "beyond 40 units the working set no longer fits",
	"extcpu":     "pure CPU work; from 20 to 40 s a neighbour takes 4 of the 8 CPUs",
}

// plot draws the first seed of the plotted scenarios into dir.
func plot(dir string) error {
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
	limit := steps{{0, float64(s.P)}}
	for _, c := range r.Changes {
		limit = append(limit, dot{c.At, float64(c.To)})
	}
	var best, share steps
	for _, p := range r.Trace {
		at := p.At - 0.1 // a point is the end of a tenth of a second
		best = best.add(at, float64(p.NStar))
		share = share.add(at, p.X/p.XBest)
	}
	most := 1.0
	for _, d := range append(limit, best...) {
		most = max(most, d.y)
	}
	octaves := 1
	for float64(int(1)<<octaves) < most {
		octaves++
	}
	f := newPicture(title, s.Seconds)
	f.panel("limit", 50, 200, logScale(octaves), octaveTicks(octaves))
	f.line("nstar", best, "N*, the sweet spot")
	f.line("limit", limit, "limit")
	f.panel("X / X*", 305, 90, linearScale(0, 1.05), []tick{{0, "0"}, {0.5, "0.5"}, {1, "1"}})
	f.line("share", share, "share of the best throughput")
	return f.end()
}
