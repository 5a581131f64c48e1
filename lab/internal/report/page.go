package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.css
var style string

// An article has its experiments one after the other.
type article struct {
	Name        string
	Experiments []*figures.Experiment
}

// A thenRow is a figure of the article with what was measured here.
type thenRow struct{ Label, Text, There, Here, Times string }

// A pictured is a plot with the table of what is on it.
type pictured struct {
	Wide, Narrow template.HTML
	About        string // what it shows, where an experiment has several
	Aside        bool
	Unit         string
	Axis         string
	Rows         []row
	CPUs         bool // they differ, and not as the axis says
	Sizes        bool // some have one of their own
	Samples      bool // they have not the same number of them
}

type row struct {
	Label, X, Y, Low, High string
	Size                   string
	CPUs, Samples          int
	Ours                   bool
}

// HTML writes one page that needs nothing else: an overview, a section for each
// experiment, and how it was measured.
func HTML(f *figures.File, w io.Writer) error {
	functions := template.FuncMap{
		"style":         func() template.CSS { return template.CSS(style + plot.Style) },
		"circumstances": func() string { return circumstances(f, f.Run.Rounds) },
		"overview": func() *pictured {
			if o := overview(f); len(o.Rows) > 0 {
				return picturedOf(o, "overview")
			}
			return nil
		},
		"articles": func() []*article { return articlesOf(f) },
		"pictures": func(e *figures.Experiment) []*pictured { return picturesOf(f, e) },
		"then":     thenRows,
		"unit":     unitOf,
		"suit":     humanize.UnitFor,
		"format":   humanize.Format,
		"number":   humanize.Number,
		"memory":   memory,
		"percent":  func(v float64) string { return fmt.Sprintf("%g %%", 100*v) },
		"took":     func(s float64) time.Duration { return time.Duration(s * float64(time.Second)).Round(time.Second) },
		"clean":    func(commit string) string { return strings.TrimSuffix(commit, "+dirty") },
	}
	return template.Must(template.New("page").Funcs(functions).Parse(pageText)).Execute(w, f)
}

func articlesOf(f *figures.File) (all []*article) {
	for i := range f.Experiments {
		e := &f.Experiments[i]
		if n := len(all); n == 0 || all[n-1].Name != e.Article {
			all = append(all, &article{Name: e.Article})
		}
		a := all[len(all)-1]
		a.Experiments = append(a.Experiments, e)
	}
	return all
}

func picturedOf(d plot.Drawing, id string) *pictured {
	return &pictured{
		Wide: template.HTML(plot.SVG(d, plot.Wide, id+"-wide")), Narrow: template.HTML(plot.SVG(d, plot.Narrow, id+"-narrow")),
	}
}

func picturesOf(f *figures.File, e *figures.Experiment) (all []*pictured) {
	for i, g := range groups(e) {
		p := picturedOf(g.chart(f), fmt.Sprintf("%s-%d", e.ID, i+1))
		p.Aside, p.About, p.Unit, p.Rows = g.aside, g.panel, g.best().Name, g.rows()
		p.CPUs, p.Sizes, p.Samples = g.cpusDiffer(), g.sizesDiffer(), g.samplesDiffer()
		if g.onAxis() {
			p.Axis = e.Axis.Name
		}
		all = append(all, p)
	}
	for i, d := range drawings(f, e) {
		p := picturedOf(d, fmt.Sprintf("%s-seen-%d", e.ID, i+1))
		p.About = d.about
		all = append(all, p)
	}
	return all
}

// thenRows are the article's figures beside those of the same points here. An experiment that
// failed has none.
func thenRows(e *figures.Experiment) (rows []thenRow) {
	if e.Error != "" {
		return nil
	}
	for _, p := range e.Published {
		r := thenRow{Label: p.Label, Text: p.Text, There: humanize.Format(p.Y, p.Unit)}
		switch {
		case p.Slope != 0:
			r.Label += ", for each of " + e.Axis.Name
			r.There = humanize.Format(p.Slope, p.Unit)
			for _, fit := range e.Fits {
				if fit.Label == p.Label {
					r.Here = fmt.Sprintf("%s (%s to %s)", humanize.Format(fit.Slope, p.Unit), humanize.Format(fit.Low, p.Unit), humanize.Format(fit.High, p.Unit))
				}
			}
		case p.Y == 0:
			r.There = fmt.Sprintf("%g %s", p.X, p.Unit)
			if best := bestOf(e, p.Label); best != nil {
				r.Here = fmt.Sprintf("best %g %s", best.X, p.Unit)
			}
		default:
			if q := same(e, &p); q != nil {
				unit := humanize.UnitFor(q.Unit, q.Y)
				r.Here = fmt.Sprintf("%s %s (%s to %s)", unit.Number(q.Y), unit.Name, unit.Number(q.Low), unit.Number(q.High))
				if q.X != p.X && p.X != 0 && q.X != 0 {
					r.Here += fmt.Sprintf(", %s %g", e.Axis.Name, q.X)
				}
				r.Times = humanize.Number(q.Y / p.Y)
			}
			if p.X != 0 && e.Axis.Name != "" {
				r.Label += fmt.Sprintf(", %s %g", e.Axis.Name, p.X)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// same returns the point here that a figure of the article is compared with: the one
// at its place or, if the article had more CPUs than there are, the last.
func same(e *figures.Experiment, p *figures.Published) *figures.Point {
	var last *figures.Point
	for i := range e.Points {
		q := &e.Points[i]
		if q.Label == p.Label && (last == nil || last.X != p.X) {
			last = q
		}
	}
	return last
}

func bestOf(e *figures.Experiment, label string) *figures.Point {
	var best *figures.Point
	for i := range e.Points {
		if q := &e.Points[i]; q.Label == label && (best == nil || (q.Y < best.Y) == (e.Better == "lower")) {
			best = q
		}
	}
	return best
}

// unitOf returns the unit of the points of a label.
func unitOf(e *figures.Experiment, label string) string {
	if p := bestOf(e, label); p != nil {
		return p.Unit
	}
	return ""
}

// best returns the unit that suits the points of a group.
func (g *group) best() humanize.Unit {
	var ys []float64
	for _, p := range g.points {
		ys = append(ys, p.Y)
	}
	return humanize.UnitFor(g.unit, ys...)
}

// cpusDiffer reports whether the numbers of CPUs differ in another way than the
// axis says.
func (g *group) cpusDiffer() bool {
	differ, onAxis := false, true
	for _, p := range g.points {
		differ = differ || p.CPUs != g.points[0].CPUs
		onAxis = onAxis && p.X == float64(p.CPUs)
	}
	return differ && !onAxis
}

// sizesDiffer reports whether a point did another amount of work than the
// experiment has.
func (g *group) sizesDiffer() bool {
	return slices.ContainsFunc(g.points, func(p *figures.Point) bool { return p.Size != "" })
}

func (g *group) samplesDiffer() bool {
	return slices.ContainsFunc(g.points, func(p *figures.Point) bool { return len(p.Samples) != len(g.points[0].Samples) })
}

func (g *group) rows() []row {
	unit := g.best()
	var rows []row
	for _, p := range g.points {
		x := fmt.Sprintf("%g", p.X)
		if !g.placed(p) {
			x = "–"
		}
		rows = append(rows, row{
			Label: g.short(p.Label), X: x, CPUs: p.CPUs, Samples: len(p.Samples), Ours: p.Ours, Size: cmp.Or(p.Size, g.e.SizeHere),
			Y: unit.Number(p.Y), Low: unit.Number(p.Low), High: unit.Number(p.High),
		})
	}
	return rows
}
