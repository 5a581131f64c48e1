package lab

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func e6() *experiment {
	return &experiment{
		id: "E6", title: "A fast grep in three environments", article: articleFeedback,
		about: "The sources of the Go toolchain are searched for a text, file after file and again from the first, as an endless stream through a semaphore: with fixed numbers, by the article's law, by ours. Once plainly; once with another process that scans each file, hashing its bytes, while the open waits for it; once with half of the CPUs.",
		claim: "the best fixed number depends on where it runs: 16 on 8 CPUs with an on-access virus scanner, where more is worse; 4, half of the CPUs, without it; 8 or 32 on another machine with 4 CPUs. By the law 6 times as fast as sequential on 8 CPUs with a median limit of 11, 3.5 times on 4 with 15",
		size:  streamSize, rounds: streamRounds,
		axis: streamAxis, better: higher,
		points: func(s scale) []point { return pointsOf(searchJobs(), s) },
		judge:  judgeSearch,
	}
}

// judgeSearch says whether one number would do in all environments. For that the
// good numbers of each are compared: those that are not clearly worse than the best.
func judgeSearch(r *results) verdict {
	sweeps, words := r.sweepsOf(searchJobs())
	v := verdict{words: words, ours: worst(sweeps), notes: []string{bars(sweeps, streamSize.at(r.scale))}}
	var apart []string
	for i, a := range sweeps {
		for _, b := range sweeps[:i] {
			if disjoint(a, b) {
				apart = append(apart, fmt.Sprintf("%s and %s", b.job.name, a.job.name))
			}
		}
	}
	v.effect = numbersDiffer(sweeps)
	switch v.effect {
	case figures.Shows:
		v.notes = append(v.notes, "no fixed number is good for both: "+strings.Join(apart, "; "))
	case figures.Absent:
		v.notes = append(v.notes, "one fixed number is nearly as good as the best in all environments")
	default:
		v.notes = append(v.notes, "no two environments are without a fixed number that is good for both, as far as can be told here")
	}
	return v
}
