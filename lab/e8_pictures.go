package lab

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// allJobs are those of E6 and E7.
func allJobs(s scale) []*job { return slices.Concat(searchJobs(), memoryJobs(s)) }

func e8() *experiment {
	return &experiment{
		id: "E8", size: streamSize,
		axis: streamAxis, better: higher,
		points: picturePoints,
		judge:  judgePictures,
		short:  shortIn(allJobs),
		untold: func(r *results) string {
			return r.undecided(allJobs(r.scale), func(j *job) []float64 {
				w := r.sweepOf(j)
				return w.portions(w.point(governors()[0]))
			}, near)
		},
	}
}

func picturePoints(s scale) []point {
	return concat(allJobs(s), func(j *job) []point {
		fixed := each(j.numbers(s), func(n int) point { return j.speedup(s, fixedAt(n)) })
		laws := each(governors(), func(g governor) point {
			p := j.speedup(s, g)
			p.shown = true
			p.shownBoth = j.name == searchPlain && g.name == asPublished
			return p
		})
		return slices.Concat(fixed, laws, each(governors(), func(g governor) point { return j.beside(s, g, medianLimit) }))
	})
}

// near is what counts as near the best fixed number.
const near = 0.9

// judgePictures asks whether the article's law, as published, comes near the best fixed
// number in most tasks.
func judgePictures(r *results) verdict {
	var v verdict
	var nears []figures.Effect
	good, law := 0, governors()[0]
	sweeps := each(allJobs(r.scale), r.sweepOf)
	for _, w := range sweeps {
		isNear := w.score(law).above(near)
		if nears = append(nears, isNear); isNear == figures.Shows {
			good++
		}
		line := fmt.Sprintf("%s: best %s times sequential with %g", w.job.name, humanize.Number(w.best.Y), w.best.X)
		for _, g := range governors() {
			line += fmt.Sprintf("; %s %s times with a median limit of %s", g.name, humanize.Number(w.point(g).Y), humanize.Number(w.limit(g, medianLimit)))
		}
		v.notes = append(v.notes, sentence(line))
	}
	v.words = fmt.Sprintf("%s, clearly reaches %g of the best fixed number in %d of %d tasks", law.name, near, good, len(sweeps))
	v.effect, v.ours = most(nears...), worst(sweeps)
	return v
}
