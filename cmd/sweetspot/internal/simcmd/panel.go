package simcmd

import (
	"fmt"
	"html/template"
	"math"

	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// panelAxes are what the panels of a scenario have in common: above the limit on a log2
// axis, below the throughput as a share of the best.
type panelAxes struct {
	seconds float64
	highest int // limit
}

// octaves returns how many doublings the limit's axis shows.
func (a panelAxes) octaves() float64 {
	return max(1, math.Ceil(math.Log2(float64(a.highest))))
}

// limit returns how high a limit is, from 0 to 1.
func (a panelAxes) limit(n int) float64 { return math.Log2(float64(max(n, 1))) / a.octaves() }

// backdrop returns the axes, N* and the number of CPUs, as a symbol that the
// panels of a scenario use.
func (a panelAxes) backdrop(id string, cpus int, trace []sim.Point) template.HTML {
	t := plot.Thumbnail{Seconds: a.seconds, End: fmt.Sprintf("%v s", a.seconds)}
	octaves := int(a.octaves())
	step := (octaves + 3) / 4 // at most five lines
	for o := 0; o <= octaves; o += step {
		t.Above.Ticks = append(t.Above.Ticks, plot.Tick{At: a.limit(1 << o), Label: short(1 << o)})
	}
	t.Below.Ticks = []plot.Tick{{At: 0, Label: "0"}, {At: 1, Label: "1"}}
	all, best := plot.Line{Class: "cpus"}, plot.Line{Class: "nstar"}
	all.Add(0, a.limit(cpus))
	for _, p := range trace {
		best.Add(p.At, a.limit(p.NStar))
	}
	t.Above.Lines = []plot.Line{all, best}
	return template.HTML(t.Symbol(id))
}

// panel returns one law's picture.
func (a panelAxes) panel(id string, trace []sim.Point) template.HTML {
	limit, share := plot.Line{Class: "limit"}, plot.Line{Class: "share"}
	for _, p := range trace {
		limit.Add(p.At, a.limit(p.Limit))
		share.Add(p.At, p.X/p.XBest)
	}
	t := plot.Thumbnail{Seconds: a.seconds, Above: plot.Area{Lines: []plot.Line{limit}}, Below: plot.Area{Lines: []plot.Line{share}}}
	return template.HTML(t.SVG(id))
}

// short writes a power of two as people say it: 512, 4k, 128k.
func short(n int) string {
	if n >= 1024 {
		return fmt.Sprintf("%dk", n/1024)
	}
	return fmt.Sprint(n)
}
