package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

var (
	Play       = play
	Launch     = launch
	ParseFlags = parseFlags
	Span       = stats.FormatTime
	Signed     = signed
	Factor     = stats.FormatRatio
	Count      = count
	Disturbing = disturbing
	Loop       = loop
	Spin       = spin
	Compare    = compare
	Cuts       = cuts
)

type (
	Order  = order
	Result = result
	Sample = sample
)

// The parts of subjects that tests look at.
func SubjectIDs(procs int, quick bool) map[string][]string {
	ids := make(map[string][]string)
	for _, g := range groups() {
		for _, s := range g.subjects(procs, quick) {
			ids[g.name] = append(ids[g.name], s.id())
		}
	}
	return ids
}

// Findable returns why a subject cannot be found again.
func Findable(group, id string, procs int, quick bool) error {
	_, err := find(group, id, procs, quick)
	return err
}

// Mappers returns all mappers by name.
func Mappers() map[string]func(context.Context, []int, work, int) ([]int, error) {
	all := make(map[string]func(context.Context, []int, work, int) ([]int, error))
	for _, ms := range [][]mapper{ours, peers, waiters} {
		for _, m := range ms {
			all[m.name] = m.do
		}
	}
	return all
}

// SmallCalls returns the small calls and their loops over items, by name.
func SmallCalls(items []int) map[string][2]func() error {
	all := make(map[string][2]func() error)
	for _, c := range smallCalls {
		t := c.set(context.Background(), items)
		all[c.name] = [2]func() error{t.run, t.loop}
	}
	return all
}

// SetWork replaces what the items of small calls are given to.
func SetWork(f work) (restore func()) {
	was := theWork
	theWork = f
	return func() { theWork = was }
}

// Sums returns the ways to add 0 to n-1.
func Sums(n int) map[string]int {
	all := make(map[string]int)
	for _, s := range sums {
		all[s.name], _ = s.add(n)
	}
	return all
}

// Measure measures a run, in turn with a loop if there is one.
func Measure(before func(), run, check, loop func() error, once bool) (Result, error) {
	return measure(task{before: before, run: run, check: check, loop: loop}, once)
}

// Halves runs f in n parts.
func Halves(n int, f func(part int)) error {
	t := halves(n, f, func() error { return nil })
	t.before()
	return t.run()
}

// NewSample returns a sample of runs with 10 items at GOMAXPROCS=2.
func NewSample(group, row, column string, round int, ns float64) Sample {
	return sample{Group: group, Row: row, Column: column, Procs: 2, Round: round, Items: 10, result: result{NS: ns, First: ns, Runs: 2}}
}

// BetterThan reports whether a sample replaces an earlier attempt.
func BetterThan(s, t Sample) bool { return s.betterThan(t) }

// View shows samples of one group.
func View(procs int, samples ...Sample) view {
	b := &bench{options: options{procs: procs}, samples: samples}
	return b.view(group{name: samples[0].Group})
}

// Ratio returns the ratio of two subjects.
func (v view) Ratio(row, base, column string) float64 { return v.ratio(row, base, column, ns) }

// Best returns the row with the smallest ratio.
func (v view) Best(rows []string, column, base string) (string, float64) {
	return v.best(rows, column, base)
}

// Verdict returns how a figure stands to a bar.
func Verdict(got, low, limit float64) string { return bar{got: got, low: low, limit: limit}.verdict() }

// AgainstBest returns the ratios of a row to the best of others.
func (v view) AgainstBest(row string, rows []string, column, base string) (string, []float64) {
	return v.againstBest(row, rows, column, base)
}

// NaN is a figure that is missing.
var NaN = math.NaN()

// Grid writes a grid of cells.
func Grid(w io.Writer, rows, columns []string, cell func(row, column string) string) {
	var r findings
	r.grid("caption:", rows, columns, cell)
	r.details.WriteTo(w)
}

// Report writes the report of samples.
func Report(w io.Writer, only string, procs int, samples ...Sample) error {
	o, err := parseFlags([]string{"-only", only, "-procs", fmt.Sprint(procs), "-rounds", "1"}, io.Discard)
	if err != nil {
		return err
	}
	o.args = nil
	b := &bench{options: *o, samples: samples, began: time.Unix(0, 0)}
	b.report(w)
	return nil
}

// Run measures what the arguments say, and returns the samples.
func Run(ctx context.Context, log io.Writer, args ...string) ([]Sample, error) {
	o, err := parseFlags(args, log)
	if err != nil {
		return nil, err
	}
	b := newBench(o, log)
	err = b.run(ctx)
	return b.samples, err
}

// Recursions computes small recursions in each way; halves in so many parts.
// A result says whether it is right.
func Recursions(parts int) map[string]error {
	all := make(map[string]error)
	for _, r := range []recursion{fib(12, true), sorting(2000), summing(2000), placing(5)} {
		for _, s := range r.subjects(parts) {
			t := s.set(environment{procs: parts})
			if t.before != nil {
				t.before()
			}
			err := t.run()
			all[s.id()] = errors.Join(err, t.check())
		}
	}
	return all
}

// CheckQuicksort checks a result that was never sorted.
func CheckQuicksort() error {
	w := sorting(100).set(1)
	w.before()
	return w.checking(false)(0)
}

// Shares divides a range of numbers and returns the sizes of the shares.
func Shares(parts, n int) (sizes []int) {
	type span struct{ lo, hi int }
	size := func(s span) int { return s.hi - s.lo }
	for _, share := range shares(parts, span{0, n}, func(s span) []span {
		if size(s) < 2 {
			return nil
		}
		third := s.lo + (size(s)+2)/3
		return []span{{s.lo, third}, {third, s.hi}}
	}, size) {
		sum := 0
		for _, s := range share {
			sum += size(s)
		}
		sizes = append(sizes, sum)
	}
	return sizes
}

// Groups returns what starts n times f by each group.
func Groups(n, limit int, f func() error) map[string]func() error {
	all := make(map[string]func() error)
	for _, s := range starters {
		all[s.name] = func() error { return start(s.make(), n, limit, f) }
	}
	return all
}

// Pools returns what submits n times f to each pool.
func Pools(n, procs, producers int, f func()) map[string]func() error {
	all := make(map[string]func() error)
	for _, s := range submitters {
		all[s.name] = submitting(environment{procs: procs, items: n}, s, producers, f).run
	}
	return all
}

// Levels is how deep the tree of the group walk is.
const Levels = treeLevels

// TreeNodes returns how many nodes a tree has.
func TreeNodes(levels int) int { return strings4(levels).nodes }

// Walks returns the keys that each walker visits, in a tree of so many levels
// and nodes; those of numbers as text.
func Walks(ctx context.Context, levels int) (nodes int, keys map[string][]string) {
	nodes = strings4(levels).nodes
	keys = make(map[string][]string)
	walked(ctx, strings4(levels), func(k string) string { return "/" + k }, keys)
	walked(ctx, ints4(nodes), func(k int64) string { return fmt.Sprint(k) }, keys)
	return nodes, keys
}

func walked[K comparable](ctx context.Context, g graph[K], name func(K) string, keys map[string][]string) {
	ws := append(walkers[K](), walker[K]{"shared queue", func(ctx context.Context, g graph[K]) error { return sharedQueue(ctx, g, 8) }})
	for _, w := range ws {
		var mu sync.Mutex
		var visited []string
		counted := g
		counted.visit = func(ctx context.Context, k K, push func(K)) error {
			mu.Lock()
			visited = append(visited, name(k))
			mu.Unlock()
			return g.visit(ctx, k, push)
		}
		if err := w.walk(ctx, counted); err != nil {
			visited = append(visited, err.Error())
		}
		keys[fmt.Sprintf("%s of %T", w.name, g.roots)] = visited
	}
}
