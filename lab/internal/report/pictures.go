package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A Picture is an SVG file.
type Picture struct {
	Name string // of the file, such as a6.svg
	SVG  string
}

// Pictures returns the pictures of the page as files of their own: of all
// answers, overview.svg; of experiment A6, a6.svg, and a6-2.svg for what it
// measures beside; a6-seen-1.svg and so on for what it has seen over time and over
// parameters.
func Pictures(f *figures.File) []Picture {
	var ps []Picture
	if o := overview(f); len(o.Rows) > 0 {
		o.Caption = circumstances(f, f.Run.Rounds)
		ps = append(ps, Picture{"overview.svg", plot.Standalone(o)})
	}
	for i := range f.Experiments {
		for j, g := range groups(&f.Experiments[i]) {
			name := strings.ToLower(f.Experiments[i].ID)
			if j > 0 {
				name += fmt.Sprintf("-%d", j+1)
			}
			ps = append(ps, Picture{name + ".svg", plot.Standalone(g.chart(f))})
		}
		for j, d := range drawings(f, &f.Experiments[i]) {
			ps = append(ps, Picture{fmt.Sprintf("%s-seen-%d.svg", strings.ToLower(f.Experiments[i].ID), j+1), plot.Standalone(d)})
		}
	}
	return ps
}

// A group holds the points of an experiment that one picture can show: those of
// the same unit, either of its own measure and of the same panel, or beside it.
type group struct {
	e      *figures.Experiment
	unit   string
	aside  bool
	panel  string // empty for all
	points []*figures.Point
}

// groups returns the groups of an experiment in the order of their first points,
// those of its own measure first, lines that are far apart in separate groups. A
// failed experiment has none, because its figures must not be used.
func groups(e *figures.Experiment) []*group {
	if e.Error != "" {
		return nil
	}
	var gs []*group
	for i := range e.Points {
		p := &e.Points[i]
		panel := p.Panel
		if p.Aside {
			panel = ""
		}
		j := slices.IndexFunc(gs, func(g *group) bool { return g.unit == p.Unit && g.aside == p.Aside && g.panel == panel })
		if j < 0 {
			j = len(gs)
			gs = append(gs, &group{e: e, unit: p.Unit, aside: p.Aside, panel: panel})
		}
		gs[j].points = append(gs[j].points, p)
	}
	var own, beside []*group
	for _, g := range gs {
		if g.aside {
			beside = append(beside, g.apart()...)
		} else {
			own = append(own, g.apart()...)
		}
	}
	return append(own, beside...)
}

// apart splits a group whose lines are so far apart that all of them would look
// level in one picture. Labels with one point go to the nearest lines.
func (g *group) apart() []*group {
	const far = 4 // times, between the lines
	var lines, single []*group
	for _, ps := range g.labels() {
		one := &group{e: g.e, unit: g.unit, aside: g.aside, panel: g.panel, points: ps}
		if several(ps) {
			lines = append(lines, one)
		} else {
			single = append(single, one)
		}
	}
	slices.SortStableFunc(lines, func(a, b *group) int { return cmp.Compare(a.least(), b.least()) })
	var panels []*group
	for _, l := range lines {
		if n := len(panels); n > 0 && l.least() <= far*panels[n-1].most() {
			panels[n-1].points = append(panels[n-1].points, l.points...)
		} else {
			panels = append(panels, l)
		}
	}
	if len(panels) < 2 || lines[0].least() <= 0 {
		return []*group{g}
	}
	for _, s := range single {
		near := slices.MinFunc(panels, func(a, b *group) int { return cmp.Compare(a.away(s.points[0].Y), b.away(s.points[0].Y)) })
		near.points = append(near.points, s.points...)
	}
	// In the order of their first points again.
	for _, p := range panels {
		slices.SortStableFunc(p.points, func(a, b *figures.Point) int {
			return cmp.Compare(slices.Index(g.points, a), slices.Index(g.points, b))
		})
	}
	slices.SortFunc(panels, func(a, b *group) int {
		return cmp.Compare(slices.Index(g.points, a.points[0]), slices.Index(g.points, b.points[0]))
	})
	return panels
}

func (g *group) least() float64 { return slices.MinFunc(g.points, byFigure).Y }
func (g *group) most() float64  { return slices.MaxFunc(g.points, byFigure).Y }

func byFigure(a, b *figures.Point) int { return cmp.Compare(a.Y, b.Y) }

// away returns by which factor y lies below or above the group's lines.
func (g *group) away(y float64) float64 {
	return max(g.least()/y, y/g.most(), 1)
}

func (g *group) title() string {
	title := g.e.ID + "  " + g.e.Title
	switch {
	case g.aside:
		title += ": " + g.unit
	case g.panel != "":
		title += ": " + g.panel
	}
	return title
}

// measure says which way is better only for the experiment's own measure; for
// others it is unknown.
func (g *group) measure() plot.Measure {
	m := plot.Measure{Unit: g.unit, Better: g.e.Better}
	if g.aside {
		m.Better = ""
	}
	return m
}

func (g *group) labels() [][]*figures.Point {
	var all [][]*figures.Point
	for _, p := range g.points {
		i := slices.IndexFunc(all, func(ps []*figures.Point) bool { return ps[0].Label == p.Label && ps[0].Ours == p.Ours })
		if i < 0 {
			i = len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

// chart returns the plot of a group: lines where some label has several places on
// the axis, dots elsewhere.
func (g *group) chart(f *figures.File) plot.Drawing {
	labels := g.labels()
	if g.e.Axis.Name == "" || !slices.ContainsFunc(labels, several) {
		return g.dots(f)
	}
	l := &plot.Lines{
		Title: g.title(), Caption: circumstancesOf(f, g.e), Measure: g.measure(),
		Axis: g.e.Axis.Name, Log2: g.e.Axis.Log2,
	}
	for _, ps := range labels {
		s := plot.Series{Name: g.short(ps[0].Label), Ours: ps[0].Ours, Level: !g.placed(ps[0])}
		for _, p := range ps {
			s.Points = append(s.Points, pointOf(p))
		}
		l.Series = append(l.Series, s)
	}
	l.Series = append(l.Series, g.then()...)
	for _, p := range g.e.Published {
		if p.Y == 0 && p.Slope == 0 && p.Panel == g.panel {
			l.Marks = append(l.Marks, plot.Mark{At: p.X, Name: fmt.Sprintf("%s there", p.Text)})
		}
	}
	if !g.aside {
		for _, fit := range g.e.Fits {
			if !slices.ContainsFunc(g.points, func(p *figures.Point) bool { return p.Label == fit.Label }) {
				continue
			}
			l.Trends = append(l.Trends, plot.Trend{Of: fit.Label, Name: "line through " + fit.Label, Intercept: fit.Intercept, Slope: fit.Slope, From: fit.From})
			for _, p := range g.e.Published {
				if p.Slope != 0 && p.Label == fit.Label {
					l.Trends = append(l.Trends, plot.Trend{Name: "the slope in the article", Intercept: fit.Intercept + (fit.Slope-p.Slope)*fit.From, Slope: p.Slope, From: fit.From, Of: fit.Label})
				}
			}
		}
	}
	if ofGoroutines(g.e.Axis.Name) {
		l.Marks = append(l.Marks, plot.Mark{At: float64(f.Machine.CPUs), Name: humanize.Count(f.Machine.CPUs, "CPUs")})
	}
	return l
}

// published are the article's figures that belong into this picture.
func (g *group) published() []figures.Published {
	return slices.DeleteFunc(slices.Clone(g.e.Published), func(p figures.Published) bool {
		return p.Y <= 0 || p.Unit != g.unit || p.Aside != g.aside || !slices.ContainsFunc(g.points, func(q *figures.Point) bool { return q.Label == p.Label })
	})
}

// then are the lines of the article's figures.
func (g *group) then() []plot.Series {
	var all []plot.Series
	for _, p := range g.published() {
		name := inArticle + g.short(p.Label)
		i := slices.IndexFunc(all, func(s plot.Series) bool { return s.Name == name && p.X != 0 })
		if i < 0 {
			i = len(all)
			all = append(all, plot.Series{Name: name, Then: true, Level: p.X == 0})
		}
		all[i].Points = append(all[i].Points, plot.Point{X: p.X, Y: p.Y, Low: p.Y, High: p.Y})
	}
	return all
}

const inArticle = "in the article: "

// several reports whether points have more than one place on the axis.
func several(ps []*figures.Point) bool {
	return slices.ContainsFunc(ps, func(p *figures.Point) bool { return p.X != ps[0].X })
}

// placed reports whether a point has a place on the axis. Ours has none if the
// axis is a number of goroutines: it stands alone at 0, where no line begins.
func (g *group) placed(p *figures.Point) bool {
	return p.X != 0 || slices.ContainsFunc(g.labels(), func(ps []*figures.Point) bool {
		return several(ps) && slices.ContainsFunc(ps, func(p *figures.Point) bool { return p.X == 0 })
	})
}

// onAxis reports whether points differ by their places on the axis.
func (g *group) onAxis() bool { return g.e.Axis.Name != "" && several(g.points) }

func (g *group) dots(f *figures.File) *plot.Dots {
	d := &plot.Dots{Title: g.title(), Caption: circumstancesOf(f, g.e), Measure: g.measure()}
	for _, p := range g.points {
		d.Rows = append(d.Rows, plot.Row{Name: g.nameOf(p), Ours: p.Ours, Point: pointOf(p)})
	}
	for _, p := range g.published() {
		name := inArticle + g.short(p.Label)
		if p.X != 0 {
			name += fmt.Sprintf(", %s %g", cmp.Or(g.e.Axis.Name, "at"), p.X)
		}
		d.Rows = append(d.Rows, plot.Row{Name: name, Then: true, Point: plot.Point{Y: p.Y, Low: p.Y, High: p.Y}})
	}
	return d
}

// nameOf returns a name that no other point of the group has.
func (g *group) nameOf(p *figures.Point) string {
	name := g.short(p.Label)
	alike := func(differ func(a *figures.Point) bool) bool {
		return slices.ContainsFunc(g.points, func(a *figures.Point) bool { return a.Label == p.Label && differ(a) })
	}
	if g.onAxis() && g.placed(p) {
		name += fmt.Sprintf(", %s %g", g.e.Axis.Name, p.X)
	}
	if alike(func(a *figures.Point) bool { return a.CPUs != p.CPUs && a.X == p.X }) {
		name += fmt.Sprintf(", GOMAXPROCS %d", p.CPUs)
	}
	return name
}

func pointOf(p *figures.Point) plot.Point {
	return plot.Point{X: p.X, Y: p.Y, Low: p.Low, High: p.High, Samples: p.Samples}
}

// ofGoroutines reports whether an axis counts how much runs at a time, so that
// the number of CPUs has a place on it.
func ofGoroutines(axis string) bool {
	axis = strings.ToLower(axis)
	return slices.ContainsFunc([]string{"worker", "goroutine", "thread", "process", "gomaxprocs", "cpus", "at a time"}, func(s string) bool { return strings.Contains(axis, s) })
}

// overview is the picture of all answers that count: how good ours is beside the best
// variant of each article.
func overview(f *figures.File) *plot.Dots {
	d := &plot.Dots{
		Title:   "Ours beside the best variant of the article: how many times as good",
		Measure: plot.Measure{Unit: "times as good", Better: "higher"},
		Mark:    plot.Mark{At: 1, Name: "as good"},
		Log:     true,
	}
	for _, e := range f.Experiments {
		if o := e.Ours; o != nil && o.Avoids == "" && e.Error == "" {
			d.Rows = append(d.Rows, plot.Row{
				Name: fmt.Sprintf("%s  %s, beside %s", e.ID, o.Label, o.Best), Ours: o.Standing() != figures.Behind,
				Point: plot.Point{Y: o.Ratio, Low: o.Low, High: o.High},
			})
		}
	}
	return d
}

// circumstancesOf is the line below a picture of an experiment, which may have had fewer
// rounds than the others.
func circumstancesOf(f *figures.File, e *figures.Experiment) string {
	return circumstances(f, cmp.Or(e.Rounds, f.Run.Rounds))
}

func circumstances(f *figures.File, rounds int) string {
	return fmt.Sprintf("sweetspot lab: %s, %s, %s/%s, %s; %s work, %s; medians with intervals of %g %% confidence",
		cmp.Or(f.Machine.Model, "unknown CPU"), humanize.Count(f.Machine.CPUs, "CPUs"), f.Machine.OS, f.Machine.Arch, f.Machine.Go,
		f.Run.Scale, humanize.Count(rounds, "rounds"), 100*f.Run.Confidence)
}

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
