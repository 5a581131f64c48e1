package lab

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

const (
	manyClients = 8
	onOneCPU    = "unbuffered, 1 CPU"
	byMutexes   = "mutex"
	byCounter   = "atomic"
	p50         = "p50 at 3,000/s, " // and a label
	p99         = "p99 at 3,000/s, "
)

// A way to number. rated is its label where goroutines ask at the rate of the article.
type way struct {
	label, rated string
	how          numbering
	serve        func(int, func(int)) error
	ours         bool
}

// numberings are the ways. Those of the article have each client in a goroutine.
var numberings = []way{
	{unbuffered, unbuffered, byGoroutine(0), goroutines, false},
	{buffer100, buffer100, byGoroutine(100), goroutines, false},
	{byMutexes, byMutexes, byMutex, goroutines, false},
	{byCounter, byCounter, byAtomic, goroutines, false},
	{"ForEach, blocks of 100", "blocks of 100", byBlocks, items, true},
}

func c5() *experiment {
	return &experiment{
		id: "C5", size: size{80_000, 1_000_000, 1_000_000, "requests"},
		axis: figures.Axis{Name: "clients"}, better: higher,
		points: func(scale) []point {
			var ps []point
			for _, clients := range []int{1, manyClients} {
				for _, v := range numberings {
					p := numberingPoint(v.label, clients, v.how, v.serve)
					p.ours = v.ours
					ps = append(ps, p)
				}
			}
			single := numberingPoint(onOneCPU, manyClients, byGoroutine(0), goroutines)
			single.cpus = 1
			ps = append(ps, single)
			for _, q := range []struct {
				label string
				part  float64
			}{{p50, 0.5}, {p99, 0.99}} {
				for _, v := range numberings {
					p := ratedPoint(q.label+v.rated, manyClients, v.how, q.part)
					p.ours = v.ours
					ps = append(ps, p)
				}
			}
			return ps
		},
		judge: judgeNumbering,
	}
}

func judgeNumbering(r *results) verdict {
	channel := r.at(unbuffered, manyClients)
	effect := interval(channel).below(wantedRate)
	limit := says(effect, "3,000 a second are about the limit here too", "3,000 a second are no limit here",
		"that 3,000 a second are a limit here cannot be told")
	v := verdict{
		words: fmt.Sprintf("%s: one goroutine behind an unbuffered channel gives %d clients %s numbers a second, %s times that",
			limit, manyClients, humanize.Grouped(int(channel.Y)), humanize.Number(channel.Y/wantedRate)),
		effect: effect,
		ours:   r.answer(),
	}

	mutex, atomic := r.speedup(r.at(byMutexes, manyClients), channel), r.speedup(r.at(byCounter, manyClients), channel)
	cause := "whether it is the channel that limits cannot be told"
	switch {
	case mutex.low > 1 && atomic.low > 1:
		cause = "what limits is still the channel"
	case mutex.high < 1 && atomic.high < 1:
		cause = "what limits is not the channel"
	}
	v.notes = append(v.notes, fmt.Sprintf("A mutex gives %v as many, an atomic counter %v: %s.", mutex, atomic, cause))
	if r.cpus == 1 {
		v.notes = append(v.notes, "Go uses a single CPU here, so what more of them add is not to be seen.")
	} else {
		v.notes = append(v.notes, fmt.Sprintf("With %d CPUs the channel gives %v what it gives with one.", r.cpus, r.speedup(channel, r.at(onOneCPU, manyClients))))
	}
	within := func(quantile string) string {
		return strings.Join(each(numberings, func(v way) string {
			return fmt.Sprintf("%s µs (%s)", humanize.Number(r.at(quantile+v.rated, manyClients).Y), v.rated)
		}), ", ")
	}
	const gap = 1e6 / wantedRate
	pace := interval(r.at(p99+unbuffered, manyClients)).beside(gap, "before", "in some rounds later than", "later than")
	v.notes = append(v.notes,
		fmt.Sprintf("At 3,000 a second half of the requests have their number within %s.", within(p50)),
		fmt.Sprintf("99 %% have it within %s. Behind the unbuffered channel that is %s the next request comes, after %.0f µs.", within(p99), pace, gap))
	return v
}
