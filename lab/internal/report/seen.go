package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A drawing is a picture of an experiment that shows no points.
type drawing struct {
	about string
	plot.Drawing
}

// drawings are what an experiment has seen over time, a picture for each task, and
// over parameters. One that failed has none.
func drawings(f *figures.File, e *figures.Experiment) []drawing {
	if e.Error != "" {
		return nil
	}
	var ds []drawing
	var panels []string // each once, in the order of the series
	for _, s := range e.Series {
		if !slices.Contains(panels, s.Panel) {
			panels = append(panels, s.Panel)
		}
	}
	for _, panel := range panels {
		about := panel + ", over time"
		c := &plot.Course{Title: fmt.Sprintf("%s  %s: %s", e.ID, e.Title, about), Caption: circumstancesOf(f, e)}
		for _, s := range e.Series {
			if s.Panel == panel {
				addTrace(c, s)
			}
		}
		ds = append(ds, drawing{about, c})
	}
	for _, h := range e.Heat {
		p := &plot.Heat{
			Title: h.Title, Caption: circumstancesOf(f, e), X: h.X, Y: h.Y,
			Measure: plot.Measure{Unit: h.Unit, Better: h.Better},
		}
		for _, c := range h.Cells {
			p.Cells = append(p.Cells, plot.Cell{X: c.X, Y: c.Y, Value: c.Value})
		}
		ds = append(ds, drawing{"", p})
	}
	return ds
}

// addTrace adds a series to the panel of those that have its name and unit.
func addTrace(c *plot.Course, s figures.Series) {
	i := slices.IndexFunc(c.Panels, func(p plot.Panel) bool { return p.Name == s.Name && p.Unit == s.Unit })
	if i < 0 {
		i = len(c.Panels)
		c.Panels = append(c.Panels, plot.Panel{Name: s.Name, Unit: s.Unit})
	}
	c.Panels[i].Traces = append(c.Panels[i].Traces, plot.Trace{Name: s.Label, Ours: s.Ours, Goal: s.Goal, Times: s.Times, Values: s.Values})
}

// short returns a label without what its whole picture has in common.
func (g *group) short(label string) string { return strings.TrimPrefix(label, g.panel+": ") }
