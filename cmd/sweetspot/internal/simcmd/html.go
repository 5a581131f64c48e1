package simcmd

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/sim"
)

// The parts of the pages. Nothing in them refers to anything outside.
//
//go:embed assets
var assets embed.FS

// gallery is what the template of the page gets.
type gallery struct {
	Style       template.CSS
	Script      template.JS
	Controllers []string
	Means       []sim.Verdict
	Scenarios   []galleryScenario
	Seeds       string
	PlotSeed    uint64
}

// galleryScenario is a scenario with what every law made of it.
type galleryScenario struct {
	Name, Description string
	NStar             int
	Backdrop          template.HTML // what its panels have in common
	Results           []galleryResult
}

// galleryResult is one law's panel and its row in the table.
type galleryResult struct {
	Controller, Score, Worst, Last, Ratio, T95, Recover, Act string
	Class                                                    string // how good the score is, for the colour
	Panel                                                    template.HTML
}

func (r *result) writeHTML(w io.Writer) error {
	g := gallery{
		Controllers: r.names, Seeds: listOf(r.seeds), PlotSeed: r.seeds[0],
	}
	for i, s := range r.scenarios {
		g.Scenarios = append(g.Scenarios, r.galleryScenario(i, s))
	}
	for _, v := range r.verdicts {
		g.Means = append(g.Means, *v)
	}
	return writePage(w, "gallery.html", func(style template.CSS, script template.JS) any {
		g.Style, g.Script = style, script
		return g
	})
}

// writePage fills the template of a page in with its data, the style and the
// script that all pages have.
func writePage(w io.Writer, name string, data func(template.CSS, template.JS) any) error {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	script, err := assets.ReadFile("assets/sort.js")
	if err != nil {
		return err
	}
	// Long names may be broken after their colon, or a table of many laws
	// would be wider than a screen.
	breakable := func(s string) template.HTML {
		return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), ":", ":<wbr>"))
	}
	t, err := template.New(name).Funcs(template.FuncMap{"breakable": breakable}).ParseFS(assets, "assets/"+name)
	if err != nil {
		return err
	}
	return t.Execute(w, data(template.CSS(style), template.JS(script)))
}

// galleryScenario draws the panels of one scenario: the traces of the first
// seed, all on the same axes.
func (r *result) galleryScenario(i int, s sim.Scenario) galleryScenario {
	highest := s.P
	for _, v := range r.verdicts {
		for _, p := range v.First[i].Trace {
			highest = max(highest, p.Limit, p.NStar)
		}
	}
	axes, symbol := panelAxes{seconds: s.Seconds, highest: highest}, fmt.Sprintf("b%d", i)
	gs := galleryScenario{
		Name: s.Name, Description: describe(s), NStar: r.verdicts[0].Rows[i].NStar,
		Backdrop: axes.backdrop(symbol, s.P, r.verdicts[0].First[i].Trace),
	}
	for c, v := range r.verdicts {
		row := v.Rows[i]
		three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
		gs.Results = append(gs.Results, galleryResult{
			Controller: r.names[c], Score: three(row.Score), Worst: three(row.Worst), Last: three(row.Last),
			Ratio: fmt.Sprintf("%.2f", row.Ratio), T95: humanize.Missing(row.T95), Recover: humanize.Missing(row.Recover), Act: three(row.Act),
			Class: gradeOf(row.Score),
			Panel: axes.panel(symbol, v.First[i].Trace),
		})
	}
	return gs
}

// gradeOf returns the class of a score. The steps are those at which it begins
// to matter: 0.95 is the promise, and half is lost below 0.5.
func gradeOf(score float64) string {
	for i, least := range []float64{0.98, 0.95, 0.9, 0.75, 0.5} {
		if score >= least {
			return fmt.Sprintf("g%d", i)
		}
	}
	return "g5"
}

// describe says in a line what a scenario is.
func describe(s sim.Scenario) string {
	text := fmt.Sprintf("%s, %v s", humanize.Count(s.P, "CPUs"), s.Seconds)
	for i, p := range s.Phases {
		if i > 0 {
			text += fmt.Sprintf(" — from %v s", p.From)
		}
		say := func(changed bool, format string, args ...any) {
			if changed {
				text += ", " + fmt.Sprintf(format, args...)
			}
		}
		var before sim.Phase
		if i > 0 {
			before = s.Phases[i-1]
		}
		say(p.CPU != before.CPU, "cpu %v", p.CPU)
		say(p.Wait != before.Wait, "wait %v", p.Wait)
		say(p.Service != before.Service, "service %v", p.Service)
		say(p.Servers != before.Servers, "servers %d", p.Servers)
		say(p.Slow.String() != before.Slow.String(), "slow %v", p.Slow)
		say(math.Abs(p.Load-before.Load) > 0, "load %v", p.Load)
		say(math.Abs(p.Arrivals-before.Arrivals) > 0, "arrivals %v/s", p.Arrivals)
	}
	return text
}

// listOf writes seeds, shortened to a range where they are one.
func listOf(seeds []uint64) string {
	n := len(seeds)
	if n > 2 && seeds[n-1]-seeds[0] == uint64(n-1) {
		return fmt.Sprintf("%d–%d", seeds[0], seeds[n-1])
	}
	text := ""
	for i, s := range seeds {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(s)
	}
	return text
}
