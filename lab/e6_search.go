package lab

import (
	"fmt"
	"strings"
)

func e6() *experiment {
	return &experiment{
		id: "E6", size: streamSize,
		axis: streamAxis, better: higher,
		points: func(s scale) []point { return pointsOf(searchJobs(), s) },
		judge:  judgeSearch,
		short:  shortIn(func(scale) []*job { return searchJobs() }),
		untold: func(r *results) string {
			sweeps, _ := r.sweepsOf(searchJobs())
			n, w, portions := nearest(sweeps)
			return fmt.Sprintf("%s The number that comes nearest to being good everywhere is %g. In %s it had %s of the best, which is %g at a time there, and good is meant to be %g: about %s would tell.",
				fewRounds(r), n, w.job.name, from(portions), w.best.X, clearly, r.roundsTake(roundsToDecide(portions, clearly), len(portions)))
		},
	}
}

// judgeSearch says whether one number would do in all environments. For that the
// good numbers of each are compared: those that are not clearly worse than the best.
func judgeSearch(r *results) verdict {
	sweeps, notes := r.sweepsOf(searchJobs())
	bests := each(sweeps, func(w sweep) string { return fmt.Sprintf("%g (%s)", w.best.X, w.job.name) })
	effect := numbersDiffer(sweeps)
	words := says(effect, "no fixed number is good everywhere",
		"one fixed number is nearly as good as the best everywhere",
		"whether one fixed number is good everywhere cannot be told") + ": best are " + strings.Join(bests, ", ")
	return verdict{words: words, effect: effect, ours: worst(sweeps), notes: notes}
}
