package simcmd

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// scalePage is what the template of the page about auto-scaling gets.
type scalePage struct {
	Style    template.CSS
	Script   template.JS
	Seeds    string
	PlotSeed uint64
	Services []scaleService
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
	p := scalePage{Seeds: listOf(r.seeds), PlotSeed: r.seeds[0]}
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

// panel returns one law's picture.
func (a *scaleAxes) panel(r *sim.ScaleResult) template.HTML {
	need, asked, ready, queue := plot.Line{Class: "need"}, plot.Line{Class: "asked"}, plot.Line{Class: "limit"}, plot.Line{Class: "queue"}
	most := float64(a.replicas)
	for _, p := range r.Trace {
		need.Add(p.At, float64(p.Need)/most)
		asked.Add(p.At, float64(p.Asked)/most)
		ready.Add(p.At, float64(p.Ready)/most)
		queue.Add(p.At, math.Log1p(float64(p.Queued))/math.Log1p(float64(a.queued)))
	}
	t := plot.Thumbnail{
		Seconds: a.seconds, End: fmt.Sprintf("%v h", math.Round(a.seconds/360)/10),
		Above: plot.Area{Ticks: []plot.Tick{{At: 1, Label: thousands(a.replicas)}, {At: 0, Label: "0"}}, Lines: []plot.Line{need, asked, ready}},
		Below: plot.Area{Ticks: []plot.Tick{{At: 1, Label: thousands(a.queued)}, {At: 0, Label: "0"}}, Lines: []plot.Line{queue}},
	}
	return template.HTML(t.SVG(""))
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
