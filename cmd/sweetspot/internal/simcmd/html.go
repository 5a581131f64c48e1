package simcmd

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// The parts of the page.
var (
	//go:embed assets/page.html
	pageText string
	//go:embed assets/page.css
	style string
	//go:embed assets/sort.js
	script string
)

// writeHTML writes the gallery: the scores, all figures, and a picture of the first seed for
// each scenario and law. Nothing in it refers to anything outside.
func (r *result) writeHTML(w io.Writer) error {
	functions := template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style + plot.Style) },
		"script": func() template.JS { return template.JS(script) },
		"seeds":  func() string { return listOf(r.Seeds) },
		// Long names may be broken after their colon, or a table of many laws
		// would be wider than a screen.
		"breakable": func(s string) template.HTML {
			return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), ":", ":<wbr>"))
		},
		"grade": gradeOf, "describe": describe, "missing": humanize.Missing,
		"picture": func(scenario, law int) template.HTML {
			c := course(r.Scenarios[scenario], r.Verdicts[law].First[scenario])
			return template.HTML(plot.SVG(c, plot.Narrow, fmt.Sprintf("p%d-%d", scenario, law)))
		},
	}
	return template.Must(template.New("page").Funcs(functions).Parse(pageText)).Execute(w, r)
}

func course(s sim.Scenario, r *sim.Result) *plot.Course {
	limit := plot.Trace{Name: "limit", Ours: true, Steps: true}
	best, share := plot.Trace{Name: "N*", Steps: true}, plot.Trace{Name: "X(limit)/X(N*)", Steps: true}
	for _, p := range r.Trace {
		limit.Add(p.At, float64(p.Limit))
		best.Add(p.At, float64(p.NStar))
		share.Add(p.At, math.Round(1000*p.X/p.XBest)/1000)
	}
	for _, t := range []*plot.Trace{&limit, &best, &share} {
		t.Until(s.Seconds)
	}
	return &plot.Course{Title: s.Name, Panels: []plot.Panel{
		{Name: "limit", Log: true, Traces: []plot.Trace{limit, best}}, {Name: "X/X*", Traces: []plot.Trace{share}},
	}}
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
	gapless := n > 2
	for i, s := range seeds {
		gapless = gapless && s == seeds[0]+uint64(i)
	}
	if gapless {
		return fmt.Sprintf("%d–%d", seeds[0], seeds[n-1])
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(seeds), "[]"), " ", ", ")
}
