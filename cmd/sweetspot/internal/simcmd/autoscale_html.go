package simcmd

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// scalePage is what the template of the page about auto-scaling gets.
type scalePage struct {
	Style    template.CSS
	Script   template.JS
	Seeds    string
	PlotSeed uint64
	Services []scaleService
	Bars     []verdict
}

// scaleService is a service with what every law made of it.
type scaleService struct {
	Name, About string
	Results     []scaleCard
}

// scaleCard is one law's picture and its row in the table.
type scaleCard struct {
	Law, Waiting, Mean, P99, Cost, Peak, Overshoot, Excess, Shortage, Changes string
	WaitingRatio, CostRatio                                                   string
	Panel                                                                     template.HTML
}

func (r *scaling) writeHTML(w io.Writer) error {
	p := scalePage{Seeds: listOf(r.seeds), PlotSeed: r.seeds[0], Bars: r.bars()}
	for i, s := range r.services {
		axes := newScaleAxes(s)
		for _, rows := range r.rows {
			axes.fit(rows[i].First)
		}
		ss := scaleService{Name: s.Name, About: s.About}
		for j, l := range r.laws {
			row := r.rows[j][i]
			waiting, cost := r.ratios(j, i)
			ss.Results = append(ss.Results, scaleCard{
				Law: l.name, Waiting: fmt.Sprintf("%.0f", row.Waiting), Mean: fmt.Sprintf("%.3f", row.Mean), P99: fmt.Sprintf("%.2f", row.P99),
				Cost: fmt.Sprintf("%.0f", row.ReplicaSeconds), Peak: fmt.Sprint(row.Peak), Overshoot: fmt.Sprintf("%.2f", row.Overshoot),
				Excess: fmt.Sprintf("%.0f", row.Excess), Shortage: fmt.Sprintf("%.0f", row.Shortage), Changes: fmt.Sprint(row.Changes),
				WaitingRatio: ratio(waiting), CostRatio: ratio(cost),
				Panel: axes.panel(row.First),
			})
		}
		p.Services = append(p.Services, ss)
	}
	return writePage(w, "autoscale.html", func(style template.CSS, script template.JS) any {
		p.Style, p.Script = style, script
		return p
	})
}

// scaleAxes are what the pictures of a service have in common: the replicas
// above, from 0, and the requests that wait below, on a log axis.
type scaleAxes struct {
	seconds          float64
	replicas, queued int // the most
}

func newScaleAxes(s sim.Service) *scaleAxes {
	return &scaleAxes{seconds: s.Seconds, replicas: 1, queued: 1}
}

// fit makes room for a run.
func (a *scaleAxes) fit(r *sim.ScaleResult) {
	for _, p := range r.Trace {
		a.replicas = max(a.replicas, p.Ready, p.Asked, p.Need)
		a.queued = max(a.queued, p.Queued)
	}
}

func (a *scaleAxes) column(p sim.ScalePoint) int {
	return min(int(p.At/a.seconds*panelColumns), panelColumns-1)
}

func (a *scaleAxes) replicasAt(n int) int {
	return limitBottom - int(math.Round(float64(n)/float64(a.replicas)*(limitBottom-limitTop)))
}

func (a *scaleAxes) queuedAt(n int) int {
	return shareBottom - int(math.Round(math.Log1p(float64(n))/math.Log1p(float64(a.queued))*(shareBottom-shareTop)))
}

// panel returns one law's picture.
func (a *scaleAxes) panel(r *sim.ScaleResult) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" aria-hidden="true">`, panelWidth, panelHeight)
	for _, l := range []struct {
		y     int
		label string
	}{{limitTop, thousands(a.replicas)}, {limitBottom, "0"}, {shareTop, thousands(a.queued)}, {shareBottom, "0"}} {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %dH%d"/><text x="%d" y="%d">%s</text>`, plotLeft, l.y, plotRight, plotLeft-6, l.y+9, l.label)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">%v h</text>`, plotRight, panelHeight-4, math.Round(a.seconds/360)/10)
	b.WriteString(linePath("need", r.Trace, a.column, func(p sim.ScalePoint) int { return a.replicasAt(p.Need) }))
	b.WriteString(linePath("asked", r.Trace, a.column, func(p sim.ScalePoint) int { return a.replicasAt(p.Asked) }))
	b.WriteString(linePath("limit", r.Trace, a.column, func(p sim.ScalePoint) int { return a.replicasAt(p.Ready) }))
	b.WriteString(linePath("queue", r.Trace, a.column, func(p sim.ScalePoint) int { return a.queuedAt(p.Queued) }))
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// thousands writes a number in at most four characters.
func thousands(n int) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
