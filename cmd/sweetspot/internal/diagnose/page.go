package diagnose

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.css
var style string

// An entry is a cause in the list of all.
type entry struct {
	*Finding
	Target, Anchor string
}

type pictured struct {
	Caption      string
	Wide, Narrow template.HTML
	Notes        []string
}

// WriteHTML writes one page that needs nothing else: the causes, what shows them,
// and plots. Files are told relative to dir, if they are below it.
func (r *Report) WriteHTML(w io.Writer, dir string) error {
	prints := &printer{dir: dir}
	functions := template.FuncMap{
		"style":    func() template.CSS { return template.CSS(style + plot.Style) },
		"count":    humanize.Count[int],
		"number":   humanize.Number,
		"took":     func(s float64) time.Duration { return time.Duration(s * float64(time.Second)).Round(time.Second) },
		"wide":     func(share float64) float64 { return 100 * share },
		"each":     evidence.Per.Each,
		"could":    (*Finding).could,
		"costs":    (*Finding).costs,
		"place":    prints.place,
		"nothing":  (*Target).nothing,
		"overview": r.overview,
		"won": func(share float64) string {
			if share < worthwhile {
				return "–"
			}
			return percent(share)
		},
		"pictures": (*Target).pictures,
		"tables":   func(t *Target) []seenTable { return append([]seenTable{t.times()}, prints.tables(t)...) },
	}
	if err := template.Must(template.New("page").Funcs(functions).Parse(pageText)).Execute(w, r); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// overview returns the causes of all targets, the most to win first.
func (r *Report) overview() (all []entry) {
	for i, t := range r.Targets {
		for k := range t.Findings {
			all = append(all, entry{&t.Findings[k], t.Name, fmt.Sprintf("cause-%d-%d", i, k)})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.Share, a.Share) })
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
		if t.Per == evidence.Second {
			table.Head = []string{"GOMAXPROCS", "recorded", "CPUs busy"}
			table.Rows = append(table.Rows, []string{fmt.Sprint(m.Procs), seconds(t.Seconds), busy})
			continue
		}
		table.Rows = append(table.Rows, []string{fmt.Sprint(m.Procs), seconds(m.Seconds.Mid), seconds(m.Seconds.Low) + " to " + seconds(m.Seconds.High), busy})
	}
	return table
}
