package lab

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A reportedFigure says how many times as fast as sequential the article's law was, the
// median limit that it chose, and on how many CPUs.
type reportedFigure struct {
	task    func(s scale) *job
	speedup float64
	median  float64
	cpus    float64
}

var reported = []reportedFigure{
	{func(scale) *job { return searchJobs()[0] }, 6, 11, 8},
	{func(scale) *job { return searchJobs()[1] }, 3.5, 15, 4},
	{func(s scale) *job { return memoryTasks[0].job(s) }, 3, 63, 4},
	{func(s scale) *job { return memoryTasks[2].job(s) }, 2.5, 19, 4},
	{func(s scale) *job { return memoryTasks[1].job(s) }, 2, 29, 4},
}

func e9() *experiment {
	return &experiment{
		id: "E9", size: streamSize,
		better: higher,
		points: figurePoints,
		judge:  judgeFigures,
		untold: func(r *results) string {
			jobs := each(reported, func(f reportedFigure) *job { return f.task(r.scale) })
			return r.undecided(jobs, func(j *job) []float64 { return r.at(j.labelOf(governors()[0]), 0).Samples }, 1)
		},
		short: func(r *results) string {
			o := r.e.judge(r).ours
			law, ours := r.at(o.Best, 0).Samples, r.at(o.Label, 0).Samples
			words := fmt.Sprintf("Of the five tasks, ours is worst in this one, by the median of %s: %s to %s.", humanize.Count(min(len(law), len(ours)), "rounds"), humanize.Number(o.Low), humanize.Number(o.High))
			if o.High >= 1 {
				words += " That interval includes 1, so it is undecided whether ours is behind."
			}
			return fmt.Sprintf("%s From round to round, that law was %s times as fast as sequential and ours %s times, because laws settle at different numbers within %s.", words, from(law), from(ours), lengthOf(r))
		},
	}
}

func figurePoints(s scale) []point {
	var ps []point
	for _, f := range reported {
		j := f.task(s)
		one := j.speedup(s, fixedAt(1))
		one.x = 0
		one.label = j.name + ": sequential"
		first := len(ps)
		ps = append(ps, one)
		for _, g := range governors() {
			ps = append(ps, j.speedup(s, g), j.beside(s, g, medianLimit))
		}
		if s == full && j.name == closeTask.name() {
			inRounds(closeRounds, ps[first:first+3]...) // sequential, and the law as published with its limit
		}
	}
	return ps
}

// closeTask is the task in which the article's law came nearest to sequential, 0.77 to 1.02
// times that in three rounds of an earlier run. closeRounds are enough to show which is
// faster, unless each is faster about as often.
var closeTask = memoryTasks[2]

const closeRounds = 20

// judgeFigures compares speedups per CPU, because the machines have different
// numbers of CPUs. The claim is that the law is faster than sequential in all
// tasks.
func judgeFigures(r *results) verdict {
	var v verdict
	var faster []figures.Effect
	var speedups []string
	for _, f := range reported {
		j := f.task(r.scale)
		cpus := float64(r.cpus)
		line := fmt.Sprintf("%s: reported %g times with a median limit of %g on %g CPUs, %s a CPU", j.name, f.speedup, f.median, f.cpus, humanize.Number(f.speedup/f.cpus))
		var best *figures.Point // of the article's law
		for _, g := range governors() {
			p := r.at(j.labelOf(g), 0)
			line += fmt.Sprintf("; here %s %v with %s, %s a CPU", g.name, interval(p),
				humanize.Number(r.at(j.labelOf(g)+", "+medianLimit, 0).Y), humanize.Number(p.Y/cpus))
			if !g.ours && (best == nil || p.Y > best.Y) {
				best = p
			}
		}
		law := r.at(j.labelOf(governors()[0]), 0)
		faster = append(faster, interval(law).above(1))
		speedups = append(speedups, fmt.Sprintf("%s (%g)", humanize.Number(law.Y), f.speedup))
		if o := r.answerTo(best, r.at(j.labelOf(ourLaw), 0)); v.ours == nil || o.Ratio < v.ours.Ratio {
			v.ours = o
		}
		v.notes = append(v.notes, sentence(line))
	}
	v.effect = every(faster...)
	v.words = fmt.Sprintf("times sequential by the law as published, with %s, and as reported: %s", humanize.Count(r.cpus, "CPUs"), strings.Join(speedups, ", "))
	return v
}
