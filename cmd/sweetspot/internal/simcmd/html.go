package simcmd

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/plot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// writeHTML writes the gallery: the scores, all figures, and a picture of the first seed for
// each scenario and law.
func (r *result) writeHTML(w io.Writer) error {
	scores := &table{
		ID: "scores", Title: "Scores", Head: append([]string{"scenario"}, r.names...),
		About: "A score of 0.98 and more, 0.95, 0.9, 0.75, 0.5, and less, have colours of their own.",
	}
	figures := &table{
		ID: "figures", Title: "All figures",
		Head: []string{"scenario", "law", "score", "worst", "last third", "N*", "N/N*", "t95 s", "recover s", "act"},
		About: "Medians over the seeds, but for worst, the lowest score. Last third: the score of the last third of the run; N/N*: mean of " +
			"limit/N* in it. t95: seconds until the score's ratio is 0.95 for a second. Recover: the longest time after a step of the " +
			"scenario until it is so again. Act: units really completed over those that N* would complete.",
	}
	p := page{Title: "sweetspot sim", Tables: []*table{scores, figures}, About: fmt.Sprintf("How close each law comes to the best fixed number of units "+
		"in flight, on simulated machines. The score is the mean over time of X(limit)/X(N*), the search included; N* is the least number with 98 %% of "+
		"the highest throughput. Seeds %s: medians, and the worst. The pictures show seed %d.", listOf(r.seeds), r.seeds[0])}
	three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	mean, worst, run := cells("mean"), cells("mean of worst seeds"), cells("worst run")
	for _, v := range r.verdicts {
		mean = append(mean, cell{Text: fmt.Sprintf("%.4f", v.Mean)})
		worst = append(worst, cell{Text: fmt.Sprintf("%.4f", v.MeanWorst)})
		run = append(run, cell{Text: three(v.Min)})
	}
	scores.Foot = [][]cell{mean, worst, run}
	for i, s := range r.scenarios {
		nstar := fmt.Sprint(r.verdicts[0].Rows[i].NStar)
		of, line := part{Name: s.Name, Small: "N* " + nstar, About: describe(s)}, cells(s.Name)
		for j, v := range r.verdicts {
			row := v.Rows[i]
			score, ratio := cell{three(row.Score), gradeOf(row.Score)}, fmt.Sprintf("%.2f", row.Ratio)
			line = append(line, score)
			figures.Rows = append(figures.Rows, append([]cell{{Text: s.Name}, {r.names[j], "text"}, score}, cells(
				three(row.Worst), three(row.Last), nstar, ratio, humanize.Missing(row.T95), humanize.Missing(row.Recover), three(row.Act))...))
			of.Pictures = append(of.Pictures, pictured{r.names[j], score, fmt.Sprintf("worst %.3f, N/N* %s", row.Worst, ratio),
				template.HTML(plot.SVG(course(s, v.First[i]), plot.Narrow, fmt.Sprintf("p%d-%d", i, j)))})
		}
		scores.Rows = append(scores.Rows, line)
		p.Parts = append(p.Parts, of)
	}
	return p.write(w)
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
