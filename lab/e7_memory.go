package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func e7() *experiment {
	return &experiment{
		id: "E7", title: "Memory as the bottleneck", article: articleFeedback,
		about: "Blocks of 4,096,000, 409,600 and 40,960 bytes are allocated, touched, and read again after others had a turn, as an endless stream through a semaphore: with fixed numbers, by the article's law, by ours. A limit on the memory of the process, 96 MiB, and 3 GiB at the article's size, stands for the article's machine with 4 GB. The article's law knows nothing of memory, as published; it goes no higher than 1,024.",
		claim: "on 4 CPUs and 4 GB: 4 MB best at 512, more is much worse, 3 times as fast as sequential by the law with a median limit of 63; 400 kB flat from 16, better past 1,024, 2 times, 29; 40 kB best at 4 to 64, 2.5 times, 19",
		size:  streamSize, rounds: streamRounds,
		axis: streamAxis, better: higher,
		points: func(s scale) []point { return pointsOf(memoryJobs(s), s) },
		judge:  judgeMemory,
	}
}

var streamAxis = figures.Axis{Name: "units at a time", Log2: true}

func memoryJobs(s scale) []*job {
	var js []*job
	for _, m := range memoryTasks {
		js = append(js, m.job(s))
	}
	return js
}

func pointsOf(jobs []*job, s scale) []point {
	var ps []point
	for _, j := range jobs {
		ps = append(ps, j.points(s)...)
	}
	return ps
}

// hurt is how far below the best throughput too many at a time must be.
const hurt = 0.8

func judgeMemory(r *results) verdict {
	sweeps, words := r.sweepsOf(memoryJobs(r.scale))
	v := verdict{words: words, ours: worst(sweeps), notes: []string{bars(sweeps, streamSize.at(r.scale))}}
	large := sweeps[0]
	more := large.more()
	v.holds = large.last() != large.best && more.high < hurt
	too := "too many at a time hurt, as in the article"
	if !v.holds {
		too = "that too many at a time hurt cannot be told here"
	}
	v.notes = append(v.notes, fmt.Sprintf("%s: of %s %g reach %s of what %g do", too, large.job.name, large.last().X, portion(more), large.best.X))
	return v
}
