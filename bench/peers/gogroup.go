package main

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A starter is what both errgroup's Group and ours are.
type starter interface {
	Go(func() error)
	SetLimit(int)
	Wait() error
}

type starting struct {
	name string
	make func() starter
}

const ourGroup, theirGroup = "Group", "errgroup"

var starters = []starting{
	{ourGroup, func() starter { return new(sweetspot.Group) }},
	{theirGroup, func() starter { return new(errgroup.Group) }},
	{"WaitGroup", func() starter { return new(bare) }},
}

// A bare starter has neither a limit nor errors: the floor.
type bare struct{ wg sync.WaitGroup }

func (b *bare) Go(f func() error) { b.wg.Go(func() { _ = f() }) }
func (b *bare) SetLimit(int)      {}
func (b *bare) Wait() error       { b.wg.Wait(); return nil }

func goGroup() group {
	rows := []string{ourGroup, theirGroup, "WaitGroup"}
	type shape struct{ n, limit int }
	shapes := []shape{{1, 0}, {10, 0}, {1000, 0}, {10, 2}, {1000, 2}, {1000, 64}}
	name := func(s shape) string {
		if s.limit == 0 {
			return fmt.Sprintf("%d", s.n)
		}
		return fmt.Sprintf("%d at %d", s.n, s.limit)
	}
	columns := collect(shapes, name)
	return group{
		name:  "group",
		title: "Group beside errgroup",
		about: "Go and Wait of so many empty functions, without a limit and with one (\"1000 at 2\"), measured in turn with\nerrgroup in the same process. WaitGroup has neither limit nor errors: no group can cost less.",
		list: func(procs int, _ bool, add func(subject)) {
			for _, p := range slices.Compact([]int{1, procs}) {
				for _, x := range shapes {
					for _, s := range starters {
						if s.name == "WaitGroup" && x.limit > 0 {
							continue
						}
						add(subject{row: s.name, column: name(x), procs: p, items: x.n, set: func(environment) task {
							return task{
								run:  func() error { return start(s.make(), x.n, x.limit, nothing) },
								loop: func() error { return start(starters[1].make(), x.n, x.limit, nothing) },
							}
						}})
					}
				}
			}
		},
		report: func(r *findings) {
			for _, p := range slices.Compact([]int{1, r.procs}) {
				r.grid(fmt.Sprintf("GOMAXPROCS=%d: time per function, and as a multiple of errgroup:", p), rows, columns, r.on(p).beside(perItem, stats.FormatTime))
				for _, c := range columns {
					if x := r.on(p).median(ourGroup, c, loopRatio); x > 1.03 {
						r.lose("Group, %s functions, GOMAXPROCS=%d: %s x errgroup", c, p, stats.FormatRatio(x))
					}
				}
			}
		},
	}
}

// start starts f n times, limit at a time if that is not 0, and waits.
func start(g starter, n, limit int, f func() error) error {
	if limit > 0 {
		g.SetLimit(limit)
	}
	for range n {
		g.Go(f)
	}
	return g.Wait()
}

func nothing() error { return nil }
