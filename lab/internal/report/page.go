package report

import (
	"cmp"
	"embed"
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

//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.ParseFS(assets, "assets/page.html"))

// A page is what the template gets.
type page struct {
	Style         template.CSS
	Circumstances string
	Commit        string // of the source; empty if not known
	Dirty         bool
	Failed        []*section
	Count         figures.Count
	Overview      *pictured
	Articles      []*article
	Facts         []fact
	Rounds        int
	Confidence    string
	FewRounds     bool // too few for the confidence
	Scale         string
}

type article struct {
	Name     string
	Sections []*section
}

type section struct {
	*figures.Experiment
	Anchor   string
	Ours     *answer
	Pictures []*pictured
	Fits     []fitRow
	Then     []thenRow
	Command  string // that repeats it
	Took     string
}

// A thenRow is a figure of the article with what was measured here.
type thenRow struct{ Label, Text, There, Here, Times string }

// An answer is what ours is beside the best variant of the article.
type answer struct {
	Label, Best     string
	Avoids          string
	Figure          string
	Ratio, Interval string
	Standing        figures.Standing
}

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

type fitRow struct{ Label, Intercept, Slope, Interval, Each string }

type fact struct{ Name, Value string }

// enoughRounds is how many samples a distribution-free interval of 95 % takes.
const enoughRounds = 6

// HTML writes one page that needs nothing else: an overview, a section for each
// experiment, and how it was measured.
func HTML(f *figures.File, w io.Writer) error {
	css, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	commit, dirty := strings.CutSuffix(f.Machine.Commit, "+dirty")
	p := &page{
		Commit: commit, Dirty: dirty,
		Style:         template.CSS(string(css) + plot.Style),
		Circumstances: circumstances(f, f.Run.Rounds),
		Count:         f.Count(),
		Rounds:        f.Run.Rounds, Scale: f.Run.Scale,
		Confidence: fmt.Sprintf("%g %%", 100*f.Run.Confidence),
		FewRounds:  f.Run.Rounds < enoughRounds,
		Facts:      facts(f),
	}
	if o := overview(f); len(o.Rows) > 0 {
		p.Overview = picturedOf(o, "overview")
	}
	for i := range f.Experiments {
		p.add(f, &f.Experiments[i])
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func picturedOf(d plot.Drawing, id string) *pictured {
	return &pictured{
		Wide: template.HTML(plot.SVG(d, plot.Wide, id+"-wide")), Narrow: template.HTML(plot.SVG(d, plot.Narrow, id+"-narrow")),
	}
}

func (p *page) add(f *figures.File, e *figures.Experiment) {
	s := &section{Experiment: e, Anchor: e.ID, Command: fmt.Sprintf("sweetspot lab run %s --size %s", e.ID, f.Run.Scale), Then: thenRows(e)}
	if f.Run.Rounds != enoughRounds { // which is the default, and leaves some points more or fewer
		s.Command += fmt.Sprintf(" --rounds %d", f.Run.Rounds)
	}
	if e.Seconds > 0 {
		s.Took = time.Duration(e.Seconds * float64(time.Second)).Round(time.Second).String()
	}
	if n := len(p.Articles); n == 0 || p.Articles[n-1].Name != e.Article {
		p.Articles = append(p.Articles, &article{Name: e.Article})
	}
	a := p.Articles[len(p.Articles)-1]
	a.Sections = append(a.Sections, s)
	if e.Error != "" {
		p.Failed = append(p.Failed, s)
		return
	}
	if o := e.Ours; o != nil {
		s.Ours = &answer{
			Label: o.Label, Best: o.Best, Avoids: o.Avoids, Figure: humanize.Format(o.Y, o.Unit),
			Ratio: humanize.Number(o.Ratio), Interval: humanize.Number(o.Low) + " to " + humanize.Number(o.High),
			Standing: o.Standing(),
		}
	}
	for i, g := range groups(e) {
		p := picturedOf(g.chart(f), fmt.Sprintf("%s-%d", e.ID, i+1))
		p.Aside, p.About, p.Unit, p.Rows = g.aside, g.panel, g.best().Name, g.rows()
		p.CPUs, p.Sizes, p.Samples = g.cpusDiffer(), g.sizesDiffer(), g.samplesDiffer()
		if g.onAxis() {
			p.Axis = e.Axis.Name
		}
		s.Pictures = append(s.Pictures, p)
	}
	for i, d := range drawings(f, e) {
		p := picturedOf(d, fmt.Sprintf("%s-seen-%d", e.ID, i+1))
		p.About = d.about
		s.Pictures = append(s.Pictures, p)
	}
	for _, fit := range e.Fits {
		unit := ""
		for _, p := range e.Points {
			if p.Label == fit.Label {
				unit = p.Unit
				break
			}
		}
		slope := humanize.UnitFor(unit, fit.Slope)
		s.Fits = append(s.Fits, fitRow{
			Label: fit.Label, Intercept: humanize.Format(fit.Intercept, unit),
			Slope: slope.Number(fit.Slope) + " " + slope.Name, Interval: slope.Number(fit.Low) + " to " + slope.Number(fit.High),
			Each: cmp.Or(e.Axis.Name, "x"),
		})
	}
}

// thenRows are the article's figures beside those of the same points here.
func thenRows(e *figures.Experiment) []thenRow {
	var rows []thenRow
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

// same returns the point here that a figure of the article is to be compared with: the
// one at its place; else the last, as where the article had more CPUs than there are.
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

// best returns the unit that suits the points of a group.
func (g *group) best() humanize.Unit {
	var ys []float64
	for _, p := range g.points {
		ys = append(ys, p.Y)
	}
	return humanize.UnitFor(g.unit, ys...)
}

// cpusDiffer reports whether the number of CPUs says something that the axis does
// not.
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

// facts returns what is known of the machine and the run.
func facts(f *figures.File) []fact {
	m := f.Machine
	all := []fact{
		{"CPU", m.Model},
		{"CPUs that Go uses", fmt.Sprint(m.CPUs)},
		{"system", m.OS + "/" + m.Arch},
		{"version", m.Version},
		{"commit", m.Commit},
		{"kernel", m.Kernel},
		{"memory", memory(m.Memory)},
		{"Go", m.Go},
		{"began", f.Run.Began.UTC().Format("2006-01-02 15:04 MST")},
		{"took", time.Duration(f.Run.Seconds * float64(time.Second)).Round(time.Second).String()},
		{"size of the work", f.Run.Scale},
		{"rounds", fmt.Sprint(f.Run.Rounds)},
		{"behaviour of the law and the calls", f.Run.Behaviour},
	}
	if m.Virtual {
		all = append(all, fact{"virtual", "yes: its host may take CPUs away unseen"})
	}
	return slices.DeleteFunc(all, func(x fact) bool { return x.Value == "" })
}
