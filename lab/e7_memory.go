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
		id: "E7", title: "Memory as the bottleneck", article: articleFeedback,
		about: "Blocks of 4,096,000, 409,600 and 40,960 bytes are allocated, touched, and read again after others had a turn, through a semaphore: with fixed numbers, by the article's law, by ours. Once as an endless stream for a given time; once as many as in the article (10,000, 100,000 and 1,000,000; a 20th in the full size, a 200th in quick), which ends. What stands for the article's machine with 4 GB is GOMEMLIMIT, 96 MiB, and 3 GiB at the article's size, and the mechanism is another: there too many blocks made the machine swap, here they make the garbage collector work without end. A GOMEMLIMIT that you set stays: with off, in a cgroup with a limit and swap, it is the article's. The article's law knows nothing of memory; it goes no higher than 1,024 here.",
		claim: "on 4 CPUs and 4 GB: 4 MB best at 512, more is much worse, 3 times as fast as sequential by the law with a median limit of 63; 400 kB flat from 16, better past 1,024, 2 times, 29; 40 kB best at 4 to 64, 2.5 times, 19",
		size:  streamSize,
		axis:  streamAxis, better: higher,
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
		further: "For the article's own mechanism run it with GOMEMLIMIT=off in a cgroup with a memory limit and swap; lab/README.md says how. The lab does not turn swap on by itself, as that takes root and concerns all of the machine. " +
			"Tried so with 128 MiB and a swap file, streams of 3 s of 4,096,000 B, once, beside other work: of the throughput of 8 at a time, 16 had 0.28, 32 had 0.09, the article's law as published 0.25 (median limit 17), and ours 1.28, at 8, without swapping.",
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
