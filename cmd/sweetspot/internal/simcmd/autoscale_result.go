package simcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// A scaling is what sim autoscale found, for every output.
type scaling struct {
	services []sim.Service
	laws     []scaleLaw
	seeds    []uint64
	rows     [][]sim.ScaleRow // for each law, for each service
}

func (r *scaling) judge() error {
	for _, l := range r.laws {
		rows, err := sim.JudgeScaler(r.services, r.seeds, l.make)
		if err != nil {
			return err
		}
		r.rows = append(r.rows, rows)
	}
	return nil
}

// threshold returns the index of the first threshold autoscaler among the
// laws, the yardstick of the others; -1 if there is none.
func (r *scaling) threshold() int {
	for i, l := range r.laws {
		if l.kind == "hpa" {
			return i
		}
	}
	return -1
}

// ratios returns a law's waiting and replica-seconds on a service over those
// of the threshold autoscaler. They are NaN where there is none, and where it
// made nobody wait.
func (r *scaling) ratios(law, service int) (waiting, cost float64) {
	t := r.threshold()
	if t < 0 {
		return math.NaN(), math.NaN()
	}
	own, its := r.rows[law][service], r.rows[t][service]
	return own.Waiting / its.Waiting, own.ReplicaSeconds / its.ReplicaSeconds
}

// String returns the table for people.
func (r *scaling) String() string {
	var b strings.Builder
	width := len("law")
	for _, l := range r.laws {
		width = max(width, len(l.name))
	}
	fmt.Fprintf(&b, "%s: medians; waiting for a replica and its cost, and both over the threshold autoscaler's\n", humanize.Count(len(r.seeds), "seeds"))
	fmt.Fprintf(&b, "%-12s %-*s %12s %9s %9s %12s %12s %9s %8s %8s\n", "service", width, "law", "waiting s", "mean s", "p99 s", "replica-s", "peak/need", "overshoot", "waiting", "cost")
	for i, s := range r.services {
		for j, l := range r.laws {
			w := r.rows[j][i]
			waiting, cost := r.ratios(j, i)
			fmt.Fprintf(&b, "%-12s %-*s %12.4g %9.3g %9.3g %12.5g %12s %8.0f%% %8s %8s\n", s.Name, width, l.name,
				w.Waiting, w.Mean, w.P99, w.ReplicaSeconds, fmt.Sprintf("%g/%g", w.Peak, w.PeakNeed), 100*w.Overshoot, ratio(waiting), ratio(cost))
		}
	}
	return b.String()
}

// ratio formats one that may not exist.
func ratio(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

// scalingJSON is the whole JSON output of sim autoscale.
type scalingJSON struct {
	Version  int           `json:"version"`
	Seeds    []uint64      `json:"seeds"`
	Services []serviceJSON `json:"services"`
}

type serviceJSON struct {
	Name    string      `json:"name"`
	About   string      `json:"about"`
	Seconds float64     `json:"seconds"`
	Step    float64     `json:"step"`
	Laws    []scaleJSON `json:"laws"`
}

type scaleJSON struct {
	Law            string   `json:"law"`
	Requests       float64  `json:"requests"`
	Waiting        float64  `json:"waiting"`
	Mean           float64  `json:"mean"`
	P99            float64  `json:"p99"`
	ReplicaSeconds float64  `json:"replica_seconds"`
	Peak           float64  `json:"peak"`
	PeakNeed       float64  `json:"peak_need"`
	Overshoot      float64  `json:"overshoot"`
	Excess         float64  `json:"excess"`
	Shortage       float64  `json:"shortage"`
	Changes        float64  `json:"changes"`
	WaitingRatio   optional `json:"waiting_ratio"`
	CostRatio      optional `json:"cost_ratio"`
}

func (r *scaling) writeJSON(w io.Writer) error {
	d := scalingJSON{Version: version, Seeds: r.seeds}
	for i, s := range r.services {
		sj := serviceJSON{Name: s.Name, About: s.About, Seconds: s.Seconds, Step: s.Step}
		for j, l := range r.laws {
			row := r.rows[j][i]
			waiting, cost := r.ratios(j, i)
			sj.Laws = append(sj.Laws, scaleJSON{
				l.name, row.Arrived, row.Waiting, row.Mean, row.P99, row.ReplicaSeconds, row.Peak, row.PeakNeed,
				row.Overshoot, row.Excess, row.Shortage, row.Changes, optional(waiting), optional(cost),
			})
		}
		d.Services = append(d.Services, sj)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// writeHTML writes a page with all figures, and a picture of the first seed for each service
// and law.
func (r *scaling) writeHTML(w io.Writer) error {
	figures := &table{
		ID: "figures", Title: "All figures",
		Head: []string{"service", "law", "waiting s", "mean s", "p99 s", "replica-seconds", "waiting ratio", "cost ratio", "peak", "overshoot", "excess", "shortage", "changes"},
		About: "Waiting and cost over those of the threshold autoscaler, where it is among the laws. Overshoot: the highest number of replicas " +
			"over the highest need, less 1. Excess and shortage: replica-seconds beyond the need, and missing from it.",
	}
	p := page{Title: "sweetspot sim autoscale", Tables: []*table{figures}, About: fmt.Sprintf("How laws set the number of replicas of simulated services "+
		"whose replicas take their time to start. Waiting is the time that requests waited for a replica, all together; the cost counts a replica from "+
		"being asked for until it has left. Seeds %s: medians. The pictures show seed %d.", listOf(r.seeds), r.seeds[0])}
	whole := func(x float64) string { return fmt.Sprintf("%.0f", x) }
	for i, s := range r.services {
		of := part{Name: s.Name, About: s.About}
		for j, l := range r.laws {
			x := r.rows[j][i]
			waiting, cost := r.ratios(j, i)
			figures.Rows = append(figures.Rows, append([]cell{{Text: s.Name}, {l.name, "text"}}, cells(
				whole(x.Waiting), fmt.Sprintf("%.3f", x.Mean), fmt.Sprintf("%.2f", x.P99), whole(x.ReplicaSeconds), ratio(waiting), ratio(cost),
				fmt.Sprint(x.Peak), fmt.Sprintf("%.2f", x.Overshoot), whole(x.Excess), whole(x.Shortage), fmt.Sprint(x.Changes))...))
			of.Pictures = append(of.Pictures, pictured{Law: l.name, Words: fmt.Sprintf("waiting %.0f s, %.0f replica-seconds", x.Waiting, x.ReplicaSeconds),
				SVG: draw(scaleCourse(s, x.First), fmt.Sprintf("p%d-%d", i, j))})
		}
		p.Parts = append(p.Parts, of)
	}
	return p.write(w)
}

// scaleCourse returns the picture of a run.
func scaleCourse(s sim.Service, r *sim.ScaleResult) *plot.Course {
	traces := []plot.Trace{{Name: "serve", Ours: true}, {Name: "asked for"}, {Name: "need"}, {Name: "requests waiting"}}
	for _, p := range r.Trace {
		for i, n := range []int{p.Ready, p.Asked, p.Need, p.Queued} {
			traces[i].Steps = true
			traces[i].Add(p.At, float64(n))
		}
	}
	for i := range traces {
		traces[i].Until(s.Seconds)
	}
	return &plot.Course{Title: s.Name, Panels: []plot.Panel{{Name: "replicas", Traces: traces[:3]}, {Name: "requests", Traces: traces[3:]}}}
}
