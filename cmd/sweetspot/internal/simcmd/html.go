package simcmd

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/sweetspot-go/sweetspot/sim"
)

// The page and uPlot 1.6.32 (MIT; its licence is beside it).
//
//go:embed assets
var assets embed.FS

// page is what the template gets.
type page struct {
	Style, PlotStyle   template.CSS
	Script, PlotScript template.JS
	Licence            string
	Controllers        []string
	Means              []sim.Verdict
	Scenarios          []pageScenario
	Seeds              string
	PlotSeed           uint64
	Bars               []verdict
	Missed             []verdict
	Data               template.JS
}

// pageScenario is one scenario's table and plots.
type pageScenario struct {
	Name, Description string
	NStar             int
	Rows              []pageRow
}

type pageRow struct {
	Controller, Score, Worst, Last, Ratio, T95, Recover, Act string
}

// plot is the data of a scenario's two plots, in columns for uPlot.
type plot struct {
	At    []number   `json:"at"`
	NStar []int      `json:"nstar"`
	Best  []number   `json:"best"`
	Limit [][]int    `json:"limit"` // one for each controller
	X     [][]number `json:"x"`
	CPUs  int        `json:"cpus"`
}

func (r *result) writeHTML(w io.Writer) error {
	p := page{
		Controllers: r.names, Seeds: listOf(r.seeds), PlotSeed: r.seeds[0],
		Bars: r.bars, Missed: missed(r.bars),
	}
	for name, to := range map[string]*string{
		"page.css": (*string)(&p.Style), "uPlot.min.css": (*string)(&p.PlotStyle),
		"page.js": (*string)(&p.Script), "uPlot.iife.min.js": (*string)(&p.PlotScript),
		"uPlot.LICENSE": &p.Licence,
	} {
		b, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		*to = string(b)
	}
	plots := make([]plot, len(r.scenarios))
	for i, s := range r.scenarios {
		plots[i] = r.plot(i)
		ps := pageScenario{Name: s.Name, Description: describe(s), NStar: r.verdicts[0].Rows[i].NStar}
		for c, v := range r.verdicts {
			row := v.Rows[i]
			three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
			ps.Rows = append(ps.Rows, pageRow{
				r.names[c], three(row.Score), three(row.Worst), three(row.Last), fmt.Sprintf("%.2f", row.Ratio),
				seconds(row.T95), seconds(row.Recover), three(row.Act),
			})
		}
		p.Scenarios = append(p.Scenarios, ps)
	}
	for _, v := range r.verdicts {
		p.Means = append(p.Means, *v)
	}
	data, err := json.Marshal(map[string]any{"controllers": r.names, "plots": plots})
	if err != nil {
		return err
	}
	p.Data = template.JS(data)
	t, err := template.ParseFS(assets, "assets/page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// plot returns the traces of the first seed.
func (r *result) plot(scenario int) plot {
	pl := plot{CPUs: r.scenarios[scenario].P}
	for c, v := range r.verdicts {
		var limit []int
		var x []number
		for _, p := range v.First[scenario].Trace {
			if c == 0 {
				pl.At = append(pl.At, number(p.At))
				pl.NStar = append(pl.NStar, p.NStar)
				pl.Best = append(pl.Best, number(p.XBest))
			}
			limit = append(limit, p.Limit)
			x = append(x, number(p.X))
		}
		pl.Limit, pl.X = append(pl.Limit, limit), append(pl.X, x)
	}
	return pl
}

// describe says in a line what a scenario is.
func describe(s sim.Scenario) string {
	text := fmt.Sprintf("%s, %v s", countOf(s.P, "CPU"), s.Seconds)
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
