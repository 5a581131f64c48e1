package lab

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func e7() *experiment {
	return &experiment{
		id: "E7", size: streamSize,
		axis: streamAxis, better: higher,
		points: func(s scale) []point {
			ps := pointsOf(memoryJobs(s), s)
			for _, m := range memoryTasks {
				j := m.finite(s)
				for _, p := range j.points(s) {
					if p.extra != medianLimit {
						p.rounds = max(2, p.rounds/2) // the verdict is of the endless ones
						p.size = func(int) string { return humanize.Count(j.count, "blocks") }
						ps = append(ps, p)
					}
				}
			}
			return ps
		},
		judge: judgeMemory,
		short: shortIn(memoryJobs),
	}
}

var streamAxis = figures.Axis{Name: "units at a time", Log2: true}

func memoryJobs(s scale) []*job {
	return each(memoryTasks, func(m memoryTask) *job { return m.job(s) })
}

func pointsOf(jobs []*job, s scale) []point {
	return concat(jobs, func(j *job) []point { return j.points(s) })
}

// hurt is how far below the best throughput too many at a time must be.
const hurt = 0.8

// The article's three pictures, each as what its numbers do.
func (w sweep) shape(m memoryTask) (words string, effect figures.Effect) {
	one, rest := w.among(1, 1), w.among(2, math.Inf(1))
	switch m.bytes {
	case largeBlock: // more is better at first, and much worse at last
		return "more at a time are better, and too many are much worse", every(w.beats(rest, one, slower), w.more().below(hurt))
	case middleBlock: // flat from 16 on, and better at last
		return "flat from 16 on, and better past 1,024", every(w.flat(flatFrom, mostTried/2), w.beats(w.among(mostTried, math.Inf(1)), w.among(1, mostTried/2), slower))
	}
	return "best at 4 to 64", every(w.beats(w.among(4, 64), one, slower), w.beats(w.among(4, 64), w.among(128, math.Inf(1)), 1))
}

const flatFrom = 16

// flat says whether the numbers from a to b differ by no more than a tenth.
func (w sweep) flat(a, b float64) figures.Effect {
	best := w.among(a, b)
	var near []figures.Effect
	for _, p := range w.fixed() {
		if p.X >= a && p.X <= b {
			near = append(near, w.r.speedup(p, best).above(clearly))
		}
	}
	if len(near) < 2 {
		return figures.Untold
	}
	return every(near...)
}

func judgeMemory(r *results) verdict {
	sweeps, notes := r.sweepsOf(memoryJobs(r.scale))
	var effects []figures.Effect
	var bests []string
	for i, w := range sweeps {
		shape, effect := w.shape(memoryTasks[i])
		effects = append(effects, effect)
		notes = append(notes, fmt.Sprintf("%s, %s: %s.", w.job.name, shape, effect.Words()))
		bests = append(bests, fmt.Sprintf("%g for %s", w.best.X, w.job.name))
	}
	for _, m := range memoryTasks {
		notes = append(notes, sentence(r.sweepOf(m.finite(r.scale)).words()))
	}
	if set := os.Getenv(memoryVariable); set != "" {
		notes = append(notes, fmt.Sprintf("%s was %s, as the environment had it, and not that of this size.", memoryVariable, set))
	}
	return verdict{words: "best are " + strings.Join(bests, ", "), effect: every(effects...), ours: worst(sweeps), notes: notes}
}
