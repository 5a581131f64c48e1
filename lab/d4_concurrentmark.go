package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// The other graphs of D4 have fewer nodes than the tree, since each of them costs
// more.
const (
	// Of 16 edges of a node of the tangle, 12 lead to nodes that are found anyway.
	tangleAgain = 12
	tangleLess  = 16
	// A node that costs 1 µs takes several times as long as one of the tree.
	costlyLess = 3

	waiting     = time.Millisecond
	waitingLess = 1024
)

// A marked is a kind of graph to be marked.
type marked struct {
	name string // of its points
	what string
	x    float64 // CPU time of a node, in microseconds
	make func(n int) *graph
}

// markeds returns them all. The first one is the article's, and the last one
// waits.
func markeds(s scale) []marked {
	kinds := []marked{
		{"tree", "the tree", 0, treeOf},
		{"seen", "the graph with seen nodes", 0, func(n int) *graph { return tangleOf(n/tangleLess, tangleAgain) }},
	}
	costs := []int{1, 2, 5, 10, 20, 50, 100}
	for _, us := range by(s, []int{1, 10, 100}, costs, costs) {
		kinds = append(kinds, marked{"CPU", fmt.Sprintf("%d µs of CPU", us), float64(us), func(n int) *graph {
			g := treeOf(n / us / costlyLess)
			g.visit = func() { compute(us) }
			return g
		}})
	}
	return append(kinds, marked{"wait", "1 ms of waiting", 0, func(n int) *graph {
		g := treeOf(n / waitingLess)
		g.visit = func() { time.Sleep(waiting) }
		return g
	}})
}

func (m *marked) label(how string) string { return m.name + ", " + how }

const (
	perNode    = "goroutine per node"
	serialMark = "serial"
	walked     = "Walk"
	walkedHint = "Walk with SizeHint"
)

func d4() *experiment {
	return &experiment{
		id: "D4", size: markSize(),
		axis: figures.Axis{Name: "µs of CPU a node", Log2: true},
		points: func(s scale) []point {
			return together(concat(markeds(s), func(m marked) []point {
				ps := []point{
					markPoint(m.label(perNode), m.x, m.make, markEach),
					markPoint(m.label(serialMark), m.x, m.make, serially),
					walkPoint(m.label(walked), m.x, m.make, false),
				}
				if m.name == "tree" {
					return append(ps, walkPoint(m.label(walkedHint), m.x, m.make, true))
				}
				for i := range ps {
					ps[i].size = func(n int) string { return humanize.Count(m.make(n).nodes, "nodes") }
				}
				return ps
			}))
		},
		judge: judgeMark,
	}
}

// markSize is the size of the tree: of height nine, or eight.
func markSize() size { return size{87_381, 349_525, 349_525, "nodes"} }

// together puts points of a label one after the other, in their order otherwise.
func together(ps []point) []point {
	first := map[string]int{}
	for i, p := range ps {
		if _, there := first[p.label]; !there {
			first[p.label] = i
		}
	}
	slices.SortStableFunc(ps, func(a, b point) int { return cmp.Compare(first[a.label], first[b.label]) })
	return ps
}

func judgeMark(r *results) verdict {
	kinds := markeds(r.scale)
	times := func(m marked) estimate {
		return ratio(r.at(m.label(perNode), m.x), r.at(m.label(serialMark), m.x))
	}
	tree, tangle, waits := times(kinds[0]), times(kinds[1]), times(kinds[len(kinds)-1])
	var v verdict
	v.effect = tree.sees(1, slower)
	waiting := 1 / waits.y
	pays, gains := r.pays(kinds, waits.high < 1)
	v.words = fmt.Sprintf("a goroutine per node takes %v the time of the serial mark on the tree; %s", tree, pays)
	v.notes = []string{
		fmt.Sprintf("With seen nodes it takes %v the time of the serial mark.", tangle),
		gains,
		fmt.Sprintf("With 1 ms of waiting it is %s x (%s to %s) as fast.", humanize.Number(waiting), humanize.Number(1/waits.high), humanize.Number(1/waits.low)),
	}

	best := func(m marked) *figures.Point {
		each, serial := r.at(m.label(perNode), m.x), r.at(m.label(serialMark), m.x)
		if each.Y < serial.Y {
			return each
		}
		return serial
	}
	v.ours = r.answerTo(best(kinds[0]), r.at(kinds[0].label(walked), 0))
	for _, m := range kinds {
		b := best(m)
		s := r.speedup(r.at(m.label(walked), m.x), b)
		note := fmt.Sprintf("%s: Walk is %v as fast as %s", m.what, s, strings.TrimPrefix(b.Label, m.name+", "))
		if m.name == kinds[0].name {
			note += fmt.Sprintf(", with SizeHint %v", r.speedup(r.at(m.label(walkedHint), m.x), b))
		}
		v.notes = append(v.notes, sentence(note))
	}
	return v
}

// pays says from which CPU time of a node on a goroutine per node is faster than
// none, for all higher costs, too, and how much faster. waiting says that it is
// also faster for nodes that wait.
func (r *results) pays(kinds []marked, waiting bool) (words, gains string) {
	costly := slices.DeleteFunc(slices.Clone(kinds), func(m marked) bool { return m.x == 0 })
	faster := func(m marked) estimate {
		return ratio(r.at(m.label(serialMark), m.x), r.at(m.label(perNode), m.x))
	}
	most, from := costly[len(costly)-1], len(costly)
	for from > 0 && faster(costly[from-1]).low > 1 {
		from--
	}
	with := fmt.Sprintf(", with %s.", humanize.Count(r.cpus, "CPUs"))
	if from == len(costly) {
		words = "it does not clearly pay for nodes that compute"
		if waiting {
			words += ", but it does for nodes that wait"
		}
		return words, fmt.Sprintf("For nodes of %s it is %v as fast", most.what, faster(most)) + with
	}
	words = fmt.Sprintf("it pays from %s a node on", costly[from].what)
	if waiting {
		words += ", and for nodes that wait"
	}
	gains = fmt.Sprintf("For nodes of %s it is %v as fast", costly[from].what, faster(costly[from]))
	if from < len(costly)-1 {
		gains += fmt.Sprintf(", for nodes of %s %v", most.what, faster(most))
	}
	return words, gains + with
}
