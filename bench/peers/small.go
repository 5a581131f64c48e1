package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A smallCall is a call of sweetspot and the loop it stands for, over items of
// some rounds of spin.
type smallCall struct {
	name   string
	set    func(ctx context.Context, items []int) task
	byHand bool // not a call of sweetspot: it has no bar, and shows what the shape of a call costs
}

// smallCalls are the calls that must never be slower than the loop. To add one,
// add it here.
var smallCalls = []smallCall{
	{name: "Map", set: func(ctx context.Context, items []int) task {
		return task{
			run: func() error {
				_, err := sweetspot.Map(ctx, items, theWork)
				return err
			},
			loop: func() error {
				_, err := loop(ctx, items, theWork)
				return err
			},
		}
	}},
	{name: "ForEach", set: func(ctx context.Context, items []int) task {
		f := discarding(theWork)
		return task{
			run: func() error { return sweetspot.ForEach(ctx, items, f) },
			loop: func() error {
				for _, v := range items {
					if err := f(ctx, v); err != nil {
						return err
					}
				}
				return nil
			},
		}
	}},
	{name: "Reduce", set: func(ctx context.Context, items []int) task {
		fold := folding(theWork)
		return task{
			run: func() error {
				_, err := sweetspot.Reduce(ctx, items, zero, fold, plus)
				return err
			},
			loop: func() (err error) {
				acc := zero()
				for _, v := range items {
					if acc, err = fold(ctx, acc, v); err != nil {
						return err
					}
				}
				return nil
			},
		}
	}},
	{name: "ReduceRange", set: func(ctx context.Context, items []int) task {
		fold := foldingRange(items, theWork)
		return task{
			run: func() error {
				_, err := sweetspot.ReduceRange(ctx, len(items), zero, fold, plus)
				return err
			},
			loop: func() error {
				_, err := fold(ctx, zero(), 0, len(items))
				return err
			},
		}
	}},
	{name: "Workers", set: func(ctx context.Context, items []int) task {
		f := discarding(theWork)
		body := func(ctx context.Context, mine iter.Seq2[int, int]) error {
			for _, v := range mine {
				if err := f(ctx, v); err != nil {
					return err
				}
			}
			return nil
		}
		return task{
			run:  func() error { return sweetspot.Workers(ctx, items, body) },
			loop: func() error { return body(ctx, slices.All(items)) },
		}
	}},
	{name: "WorkersRange", set: func(ctx context.Context, items []int) task {
		fold := foldingRange(items, theWork)
		body := func(ctx context.Context, mine iter.Seq2[int, int]) error {
			for lo, hi := range mine {
				if _, err := fold(ctx, 0, lo, hi); err != nil {
					return err
				}
			}
			return nil
		}
		return task{
			run:  func() error { return sweetspot.WorkersRange(ctx, len(items), body) },
			loop: func() error { return body(ctx, func(yield func(lo, hi int) bool) { yield(0, len(items)) }) },
		}
	}},
	{name: ourMapSeq, set: overResults(func(ctx context.Context, seq iter.Seq[int]) iter.Seq2[int, error] {
		return sweetspot.MapSeq(ctx, seq, theWork)
	})},
	{name: leastResults, byHand: true, set: overResults(resultsOf)},
	{name: promisedResults, byHand: true, set: overResults(promising)},
	{name: "by hand: the same, in a coroutine", byHand: true, set: overResults(coroutine)},
	{name: "ForEachSeq", set: func(ctx context.Context, items []int) task {
		seq, f := slices.Values(items), discarding(theWork)
		return task{
			run: func() error { return sweetspot.ForEachSeq(ctx, seq, f) },
			loop: func() error {
				for v := range seq {
					if err := f(ctx, v); err != nil {
						return err
					}
				}
				return nil
			},
		}
	}},
	{name: "Walk", set: func(ctx context.Context, items []int) task {
		g := star(items)
		return task{
			run:  func() error { return sweetspot.Walk(ctx, slices.Values(g.roots), g.visit) },
			loop: func() error { return depthFirst(ctx, g, 0) },
		}
	}},
}

const (
	ourMapSeq       = "MapSeq"
	leastResults    = "by hand: sequence of results"
	promisedResults = "by hand: the same, with promises"

	// smallMost is what a small call may take beyond 1.05 x loop, ns.
	smallMost = 1000
)

// star returns a graph whose keys are the positions of items, the first of which
// leads to all others; to visit one is to work on its item.
func star(items []int) graph[int] {
	g := graph[int]{nodes: len(items), visit: func(ctx context.Context, k int, push func(int)) error {
		if k == 0 {
			for other := 1; other < len(items); other++ {
				push(other)
			}
		}
		_, err := theWork(ctx, items[k])
		return err
	}}
	if len(items) > 0 {
		g.roots = []int{0}
	}
	return g
}

func beyondLoop(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return "1.05 x loop " + signed(x)
}

func discarding(f work) func(context.Context, int) error {
	return func(ctx context.Context, v int) error {
		_, err := f(ctx, v)
		return err
	}
}

// foldingRange returns the fold that adds what f returns for a range of items.
func foldingRange(items []int, f work) func(ctx context.Context, acc, lo, hi int) (int, error) {
	return func(ctx context.Context, acc, lo, hi int) (int, error) {
		for _, v := range items[lo:hi] {
			r, err := f(ctx, v)
			if err != nil {
				return 0, err
			}
			acc += r
		}
		return acc, nil
	}
}

// A shape is how many items of which cost a small call has.
type shape struct {
	n    int
	each time.Duration
}

func (s shape) name() string {
	switch {
	case s.n == 0:
		return "nothing"
	case s.each == 0:
		return fmt.Sprintf("%d x 1 ns", s.n)
	}
	return fmt.Sprintf("%d x %s", s.n, stats.FormatTime(float64(s.each)))
}

// shapes go from nothing to 50 µs in total, in few items and many.
var shapes = []shape{
	{0, 0}, {1, 0}, {10, 0}, {1000, 0},
	{1, time.Microsecond}, {10, 100 * time.Nanosecond},
	{10, time.Microsecond}, {100, 200 * time.Nanosecond},
	{1, 50 * time.Microsecond}, {10, 5 * time.Microsecond}, {1000, 50 * time.Nanosecond},
}

// cancellable marks the columns whose context can be cancelled.
const cancellable = ", with cancel"

func smallGroup() group {
	rows, columns := collect(smallCalls, func(c smallCall) string { return c.name }), collect(shapes, shape.name)
	cancels := collect(columns, func(c string) string { return c + cancellable })
	return group{
		name:  "small",
		title: "Small calls",
		about: "Calls whose whole work takes from nothing to 50 µs, measured in turn with the loop that calls the same\nfunction, in the same process. Ideal is the time of the loop.",
		list: func(procs int, quick bool, add func(subject)) {
			for _, p := range slices.Compact([]int{1, procs}) {
				for i, s := range shapes {
					if quick && i%2 == 1 {
						continue
					}
					for _, c := range smallCalls {
						add(subject{row: c.name, column: s.name(), procs: p, items: s.n, set: func(e environment) task {
							return c.set(context.Background(), e.uniform(e.items, s.each))
						}})
						if i%3 != 0 || quick {
							continue // some of them tell what a context costs
						}
						add(subject{row: c.name, column: s.name() + cancellable, procs: p, items: s.n, set: func(e environment) task {
							ctx, cancel := context.WithCancel(context.Background())
							t := c.set(ctx, e.uniform(e.items, s.each))
							t.before = cancel // never called: it keeps the context from being collected
							return t
						}})
					}
				}
			}
		},
		report: func(r *findings) {
			for _, p := range slices.Compact([]int{1, r.procs}) {
				v := r.on(p)
				cell := v.beside(overLoop, signed)
				r.grid(fmt.Sprintf("GOMAXPROCS=%d: time beyond the loop (and as a multiple of the loop):", p), rows, columns, cell)
				r.grid(fmt.Sprintf("GOMAXPROCS=%d, the same with a context that can be cancelled:", p), rows, cancels, cell)
				for _, c := range smallCalls {
					if c.byHand {
						continue
					}
					worst, where := v.worst(c.name, columns)
					low, high := stats.Interval(v.all(c.name, where, excess))
					work := fmt.Sprintf("%s of little work, GOMAXPROCS=%d", c.name, p)
					if where != "" {
						work += ", at worst " + where
					}
					r.bars = append(r.bars, bar{
						work: work,
						want: "≤ 1.05 x loop + 1 µs", got: worst, low: low, high: high, limit: smallMost,
						show: beyondLoop,
					})
				}
				_, where := v.worst(ourMapSeq, columns)
				if x := v.median(leastResults, where, excess); x > smallMost {
					r.lose("MapSeq of little work, GOMAXPROCS=%d: no sequence of results can meet the bar at %s. The least that there can be, written by hand, calls the loop's body for each value, which the loop has in place, and takes %s; with what MapSeq promises of contexts, errors and panics it takes %s", p, where, beyondLoop(x), beyondLoop(v.median(promisedResults, where, excess)))
				}
			}
		},
	}
}

// worst returns the most that a row takes beyond the bar of small calls, and the
// column where it does; NaN and "" if nothing was measured.
func (v view) worst(row string, columns []string) (ns float64, where string) {
	ns = math.NaN()
	for _, c := range columns {
		if x := v.median(row, c, excess); !math.IsNaN(x) && !(x <= ns) {
			ns, where = x, c
		}
	}
	return ns, where
}
