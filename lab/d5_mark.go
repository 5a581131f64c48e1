package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// d5 is the baseline of D4.
func d5() *experiment {
	const sized = "serial, map of known size"
	return &experiment{
		id: "D5", size: markSize(),
		points: func(scale) []point {
			return []point{
				markPoint(serialMark, 0, treeOf, serially),
				markPoint(sized, 0, treeOf, func(g *graph) map[node]struct{} {
					return markSerially(g, make(map[node]struct{}, g.nodes))
				}),
				walkPoint(walked, 0, treeOf, false),
				walkPoint(walkedHint, 0, treeOf, true),
			}
		},
		judge: func(r *results) verdict {
			p, s := r.at(serialMark, 0), r.at(sized, 0)
			return verdict{
				words: fmt.Sprintf("%s ns a node, between %s and %s; with a map of known size %s ns",
					humanize.Number(p.Y), humanize.Number(p.Low), humanize.Number(p.High), humanize.Number(s.Y)),
				effect: figures.Baseline,
				// Both know the same about the number of nodes.
				ours: r.answerTo(p, r.at(walked, 0)),
				notes: []string{
					fmt.Sprintf("Known size: Walk with SizeHint is %v as fast as the serial mark with such a map.", r.speedup(r.at(walkedHint, 0), s)),
				},
			}
		},
	}
}

// The mark phase of the article "Goroutines Are Cheap, but Not Free", written
// from its description: the set of all nodes that can be reached from a root.

// A node is the path from the root of a tree: the root is the empty one, and its
// child c of child a is "ac".
type node string

// fanOut is how many children a node of the tree has.
const fanOut = 4

// A graph is the complete 4-ary tree of the first nodes in the order of their
// levels: of 349,525 nodes, height nine.
type graph struct {
	nodes int
	// again are the edges of each node beside those of the tree. They lead to
	// anywhere, so nearly always to a node that was or will be found otherwise.
	again int
	names []node // of all nodes, where there are such edges
	visit func() // what it costs to find out a node's edges; nil for nothing
}

func treeOf(nodes int) *graph { return &graph{nodes: max(nodes, 1)} }

// tangleOf returns the tree with more edges.
func tangleOf(nodes, again int) *graph {
	g := treeOf(nodes)
	g.again = again
	g.names = make([]node, 1, g.nodes)
	for i := 0; len(g.names) < g.nodes; i++ {
		g.names = append(g.names, g.children(g.names[i], i)...)
	}
	return g
}

// place returns the place of a node in the order of levels.
func (g *graph) place(v node) int {
	at := 0
	for i := range len(v) {
		at = at*fanOut + int(v[i]-'a') + 1
	}
	return at
}

// next returns the nodes that the edges of v lead to.
func (g *graph) next(v node) []node {
	if g.visit != nil {
		g.visit()
	}
	at := g.place(v)
	to := g.children(v, at)
	for i := range g.again {
		to = append(to, g.names[scatter(uint64(at*g.again+i))%uint64(g.nodes)])
	}
	return to
}

func (g *graph) children(v node, at int) []node {
	n := max(min(g.nodes-at*fanOut-1, fanOut), 0)
	if n+g.again == 0 {
		return nil
	}
	to := make([]node, 0, n+g.again)
	for i := range n {
		to = append(to, v+node("abcd"[i:i+1]))
	}
	return to
}

// scatter is the output function of the generator SplitMix64 by Steele, Lea and
// Flood: "Fast splittable pseudorandom number generators" (2014).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// markEach has a goroutine for each node. The set belongs to one of them, and
// each edge comes to it over a channel.
func markEach(g *graph) map[node]struct{} {
	found := make(chan node)
	seen := make(map[node]struct{})
	var open sync.WaitGroup // edges that are on their way or being followed
	go func() {
		for v := range found {
			if _, known := seen[v]; known {
				open.Done()
				continue
			}
			seen[v] = struct{}{}
			go func() {
				defer open.Done()
				for _, w := range g.next(v) {
					open.Add(1)
					found <- w
				}
			}()
		}
	}()
	open.Add(1)
	found <- ""
	open.Wait()
	close(found)
	return seen
}

// markSerially has a stack instead of goroutines.
func markSerially(g *graph, seen map[node]struct{}) map[node]struct{} {
	stack := []node{""}
	seen[""] = struct{}{}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, w := range g.next(v) {
			if _, known := seen[w]; !known {
				seen[w] = struct{}{}
				stack = append(stack, w)
			}
		}
	}
	return seen
}

// markPoint measures a mark that returns the set. The figure is the time of a
// node.
func markPoint(label string, x float64, make func(n int) *graph, mark func(g *graph) map[node]struct{}) point {
	return point{label: label, x: x, unit: "ns/node", set: func(n int) (task, error) {
		g := make(n)
		return making(func() (map[node]struct{}, error) { return mark(g), nil }, func(seen map[node]struct{}) error {
			if len(seen) != g.nodes {
				return fmt.Errorf("%s has found %d nodes, want %d", label, len(seen), g.nodes)
			}
			for v := range seen {
				if at := g.place(v); at >= g.nodes {
					return fmt.Errorf("%s has found %q, which is not a node", label, v)
				}
			}
			return nil
		}, perOp(g.nodes)), nil
	}}
}

// walkPoint is the answer to all of them. The set of seen keys is inside the
// Walk; a mark on each node shows that it was reached.
func walkPoint(label string, x float64, make func(n int) *graph, hinted bool) point {
	return point{label: label, x: x, unit: "ns/node", ours: true, set: func(n int) (task, error) {
		g := make(n)
		marks := marksOf(g)
		var opts []sweetspot.WalkOption
		if hinted {
			opts = append(opts, sweetspot.SizeHint(g.nodes))
		}
		return task{
			before: func() error {
				clear(marks)
				return nil
			},
			run: func() error { return markByWalk(g, marks, opts...) },
			check: func() error {
				for at, m := range marks {
					if m != 1 {
						return fmt.Errorf("%s has visited the node at place %d %d times, want once", label, at, m)
					}
				}
				return nil
			},
			figure: perOp(g.nodes),
		}, nil
	}}
}

// marksOf returns room for how often each node was visited. Nodes are visited
// once, so neighbouring marks may be written at the same time, but never the
// same mark.
func marksOf(g *graph) []uint8 { return make([]uint8, g.nodes) }

func markByWalk(g *graph, marks []uint8, opts ...sweetspot.WalkOption) error {
	return sweetspot.Walk(context.Background(), slices.Values([]node{""}), func(_ context.Context, v node, push func(node)) error {
		marks[g.place(v)]++
		for _, w := range g.next(v) {
			push(w)
		}
		return nil
	}, opts...)
}

// serially is the mark of D5, where the number of nodes is unknown.
func serially(g *graph) map[node]struct{} { return markSerially(g, make(map[node]struct{})) }

// compute keeps a CPU busy for about that many microseconds. It is an amount of
// work, not of time: a goroutine that waits for a CPU does none of it.
func compute(microseconds int) {
	x := uint64(microseconds)
	for range microseconds * perMicrosecond {
		x = scatter(x)
	}
	if x == 1 {
		panic("lab: unreachable, but the compiler does not know that the work is of no use")
	}
}

// perMicrosecond is how many steps of scatter a CPU of 3 GHz does in a
// microsecond. Each step needs the one before.
const perMicrosecond = 215
