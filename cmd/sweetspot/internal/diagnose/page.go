package diagnose

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.css
var style string

// A page is what the template gets.
type page struct {
	Report        *Report
	Style         template.CSS
	Circumstances string
	Overview      []entry
	Sections      []section
	Facts         [][2]string
}

// An entry is a cause in the list of all.
type entry struct {
	Won, Title, Target, Anchor string
	share                      float64
}

type section struct {
	*Target
	Anchor   string
	Each     string
	Causes   []cause
	Pictures []pictured
	Tables   []seenTable
}

type cause struct {
	*Finding
	Anchor, Could, Where string
	Costs                string
	Others               []string
	Width                float64
}

type pictured struct {
	Caption      string
	Wide, Narrow template.HTML
	Notes        []string
}

// WriteHTML writes one page that needs nothing else: the causes, what shows them,
// and plots. Files are told relative to dir, if they are below it.
func (r *Report) WriteHTML(w io.Writer, dir string) error {
	p := &page{Report: r, Style: template.CSS(style + plot.Style), Circumstances: r.circumstances()}
	prints := &printer{dir: dir}
	for i, t := range r.Targets {
		s := section{Target: t, Anchor: fmt.Sprintf("target-%d", i+1), Each: t.Per.each()}
		for k := range t.Findings {
			f := &t.Findings[k]
			c := cause{Finding: f, Anchor: fmt.Sprintf("cause-%d-%d", i+1, k+1), Could: f.could(), Costs: f.costs(), Where: prints.place(f.Place), Width: 100 * f.Share}
			for _, o := range f.Other {
				c.Others = append(c.Others, prints.place(o))
			}
			s.Causes = append(s.Causes, c)
			won := percent(f.Share)
			if f.Share < worthwhile {
				won = "–"
			}
			p.Overview = append(p.Overview, entry{won, f.Title, t.Name, c.Anchor, f.Share})
		}
		s.Pictures = t.pictures(s.Anchor)
		s.Tables = append([]seenTable{t.times()}, prints.tables(t)...)
		p.Sections = append(p.Sections, s)
	}
	slices.SortStableFunc(p.Overview, func(a, b entry) int { return cmp.Compare(b.share, a.share) })
	p.Facts = r.facts()
	if err := template.Must(template.New("page").Parse(pageText)).Execute(w, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func (r *Report) circumstances() string {
	if r.Run.Rounds == 0 { // this is not the machine of it
		return "read " + r.Run.Began.UTC().Format("2006-01-02 15:04 MST")
	}
	return fmt.Sprintf("%s, %s/%s, %s, %s", humanize.Count(r.Machine.CPUs, "CPUs"), r.Machine.OS, r.Machine.Arch, r.Machine.Go, r.Run.Began.UTC().Format("2006-01-02 15:04 MST"))
}

func (r *Report) facts() [][2]string {
	var all [][2]string
	if r.Run.Rounds == 0 {
		return nil
	}
	for _, f := range [][2]string{
		{"CPU", r.Machine.Model},
		{"CPUs that Go uses", fmt.Sprint(r.Machine.CPUs)},
		{"system", r.Machine.OS + "/" + r.Machine.Arch},
		{"kernel", r.Machine.Kernel},
		{"Go", r.Machine.Go},
		{"took", time.Duration(r.Run.Seconds * float64(time.Second)).Round(time.Second).String()},
		{"a loop in registers, with the most CPUs", humanize.Number(r.Run.Steady) + " times as much CPU time as with the fewest"},
	} {
		if f[1] != "" {
			all = append(all, f)
		}
	}
	if r.Machine.Virtual {
		all = append(all, [2]string{"virtual", "yes: its host may take CPUs away unseen"})
	}
	return all
}

// pictures draws where the CPU time goes, and the speedups with the fit.
func (t *Target) pictures(anchor string) []pictured {
	var all []pictured
	draw := func(caption, id string, d plot.Drawing, notes ...string) {
		all = append(all, pictured{caption, template.HTML(plot.SVG(d, plot.Wide, id+"-wide")), template.HTML(plot.SVG(d, plot.Narrow, id+"-narrow")), notes})
	}
	if len(t.Groups) > 0 {
		d := &plot.Dots{Title: "Where the CPU time goes", Measure: plot.Measure{Unit: "% of the CPU time"}, Parts: true}
		for _, g := range t.Groups {
			if g.Share < hardlyRan {
				continue
			}
			v := 100 * g.Share
			d.Rows = append(d.Rows, plot.Row{Name: string(g.Group), Point: plot.Point{Y: v, Low: v, High: v}})
		}
		draw("Where the CPU time goes", anchor+"-groups", d)
	}
	for i, s := range t.Scaling {
		if len(s.Points) < 2 {
			continue
		}
		l := &plot.Lines{Title: "Speedup by " + s.By, Axis: s.By, Measure: plot.Measure{Unit: "times", Better: "higher"}}
		measured, ideal := plot.Series{Name: "measured", Ours: true}, plot.Series{Name: "as many times as fast"}
		least := float64(s.Points[0].N)
		for _, p := range s.Points {
			measured.Points = append(measured.Points, plot.Point{X: float64(p.N), Y: p.Speedup.Mid, Low: p.Speedup.Low, High: p.Speedup.High})
			v := float64(p.N) / least
			ideal.Points = append(ideal.Points, plot.Point{X: float64(p.N), Y: v, Low: v, High: v})
		}
		l.Series = []plot.Series{measured, ideal}
		if s.Fit != nil {
			l.Series = append(l.Series, s.curve())
		}
		notes := s.words()[1:]
		if s.Unfit != "" && len(s.Points) >= fitPoints {
			notes = append(notes, "No law of scaling is fitted: "+s.Unfit+".")
		}
		draw("Speedup by "+s.By, fmt.Sprintf("%s-scaling-%d", anchor, i+1), l, notes...)
	}
	return all
}

func (s *Scaling) curve() plot.Series {
	c := plot.Series{Name: "universal scalability law"}
	first, last := s.Points[0].N, s.Points[len(s.Points)-1].N
	base := s.Fit.At(float64(first))
	for n := first; n <= last; n += max(1, (last-first)/32) {
		v := s.Fit.At(float64(n)) / base
		c.Points = append(c.Points, plot.Point{X: float64(n), Y: v, Low: v, High: v})
	}
	return c
}

func (t *Target) times() seenTable {
	table := seenTable{"Time", []string{"GOMAXPROCS", "median", "range", "CPUs busy"}, nil}
	for _, m := range t.Points {
		busy := "–"
		if cpus, ok := m.busy(); ok {
			busy = fmt.Sprintf("%.2f", cpus)
		}
		if t.Per == Second {
			table.Head = []string{"GOMAXPROCS", "recorded", "CPUs busy"}
			table.Rows = append(table.Rows, []string{fmt.Sprint(m.Procs), seconds(t.Seconds), busy})
			continue
		}
		table.Rows = append(table.Rows, []string{fmt.Sprint(m.Procs), seconds(m.Seconds.Mid), seconds(m.Seconds.Low) + " to " + seconds(m.Seconds.High), busy})
	}
	return table
}
