package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// visitor gives the children of a key to push.
type visitor[K comparable] = func(ctx context.Context, k K, push func(K)) error

type graph[K comparable] struct {
	roots []K
	nodes int // distinct keys reachable
	visit visitor[K]
}

// strings4 is a complete tree of four children each and so many levels below its
// root, whose keys are the paths to them: the tree of the article "Goroutines
// Are Cheap, but Not Free" has nine.
func strings4(levels int) graph[string] {
	return graph[string]{[]string{""}, (1<<(2*(levels+1)) - 1) / 3, func(_ context.Context, k string, push func(string)) error {
		if len(k) < levels {
			push(k + "0")
			push(k + "1")
			push(k + "2")
			push(k + "3")
		}
		return nil
	}}
}

// ints4 is the same tree with numbers as keys; a node has fewer children where
// the n nodes end.
func ints4(n int) graph[int64] {
	return graph[int64]{[]int64{0}, n, func(_ context.Context, k int64, push func(int64)) error {
		for c := 4*k + 1; c <= 4*k+4 && c < int64(n); c++ {
			push(c)
		}
		return nil
	}}
}

// A walker visits each key of a graph once.
type walker[K comparable] struct {
	name string
	walk func(ctx context.Context, g graph[K]) error
}

const (
	serialWalk   = "serial, depth first"
	presizedWalk = "serial, map of the right size"
	channelWalk  = "channel (ConcurrentMark)"
	ourWalk      = "Walk"
	hintedWalk   = "Walk, SizeHint"
)

func walkers[K comparable]() []walker[K] {
	return []walker[K]{
		{serialWalk, func(ctx context.Context, g graph[K]) error { return depthFirst(ctx, g, 0) }},
		{presizedWalk, func(ctx context.Context, g graph[K]) error { return depthFirst(ctx, g, g.nodes) }},
		{ourWalk, func(ctx context.Context, g graph[K]) error {
			return sweetspot.Walk(ctx, slices.Values(g.roots), g.visit)
		}},
		{hintedWalk, func(ctx context.Context, g graph[K]) error {
			return sweetspot.Walk(ctx, slices.Values(g.roots), g.visit, sweetspot.SizeHint(g.nodes))
		}},
		{channelWalk, concurrentMark[K]},
	}
}

// depthFirst walks in this goroutine, with a map for size keys.
func depthFirst[K comparable](ctx context.Context, g graph[K], size int) error {
	seen := make(map[K]struct{}, size)
	var stack []K
	push := func(k K) {
		if _, ok := seen[k]; !ok {
			seen[k] = struct{}{}
			stack = append(stack, k)
		}
	}
	for _, k := range g.roots {
		push(k)
	}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := g.visit(ctx, k, push); err != nil {
			return err
		}
	}
	return nil
}

// concurrentMark is the function of that name in the article, written from its
// description: one goroutine owns the set, and another is started for each new
// key; all keys come through one channel.
func concurrentMark[K comparable](ctx context.Context, g graph[K]) error {
	grays := make(chan K)
	seen := make(map[K]struct{})
	var failed failure
	var wg sync.WaitGroup
	go func() {
		for k := range grays {
			if _, ok := seen[k]; ok {
				wg.Done()
				continue
			}
			seen[k] = struct{}{}
			go func() {
				defer wg.Done()
				failed.set(g.visit(ctx, k, func(child K) {
					wg.Add(1)
					grays <- child
				}))
			}()
		}
	}()
	for _, k := range g.roots {
		wg.Add(1)
		grays <- k
	}
	wg.Wait()
	close(grays)
	return failed.err
}

// sharedQueue walks with n goroutines that share a queue and a set behind one
// mutex: what is written by hand where visits wait.
func sharedQueue[K comparable](ctx context.Context, g graph[K], n int) error {
	var mu sync.Mutex
	some := sync.NewCond(&mu)
	seen := make(map[K]struct{})
	var queue []K
	open := 0 // keys in the queue or being visited
	push := func(k K) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := seen[k]; !ok {
			seen[k] = struct{}{}
			queue = append(queue, k)
			open++
			some.Signal()
		}
	}
	for _, k := range g.roots {
		push(k)
	}
	var failed failure
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				for len(queue) == 0 && open > 0 {
					some.Wait()
				}
				if open == 0 {
					return
				}
				k := queue[0]
				queue = queue[1:]
				mu.Unlock()
				failed.set(g.visit(ctx, k, push))
				mu.Lock()
				if open--; open == 0 {
					some.Broadcast()
				}
			}
		})
	}
	wg.Wait()
	return failed.err
}

// walking returns the task of a walker. That each key is visited once is what
// tests check: to count here would be a good part of what is measured.
func walking[K comparable](g graph[K], w walker[K]) task {
	return task{run: func() error { return w.walk(context.Background(), g) }}
}

// halvesOfWalk returns the task of serial walks of the parts of a graph.
func halvesOfWalk[K comparable](e environment, g graph[K]) task {
	// Two levels below the root are 16 subtrees, which parts share evenly.
	level := g.roots
	for range 2 {
		var below []K
		for _, k := range level {
			_ = g.visit(context.Background(), k, func(c K) { below = append(below, c) })
		}
		level = below
	}
	errs := make([]error, e.procs)
	return halves(e.procs, func(i int) {
		part := g
		part.roots = level[len(level)*i/e.procs : len(level)*(i+1)/e.procs]
		errs[i] = depthFirst(context.Background(), part, 0)
	}, func() error { return errors.Join(errs...) })
}

// treeLevels below the root make 349,525 nodes.
const treeLevels = 9

const (
	stringKeys = "string keys"
	intKeys    = "int64 keys"
	waitingFor = "20,000 nodes that wait 1 ms"
)

func addWalks[K comparable](add func(subject), column string, procs int, g graph[K]) {
	for _, w := range walkers[K]() {
		add(subject{row: w.name, column: column, procs: procs, items: g.nodes, set: func(environment) task { return walking(g, w) }})
	}
	add(subject{row: halvesRow, column: column, procs: procs, items: g.nodes, set: func(e environment) task { return halvesOfWalk(e, g) }})
}

func walkGroup() group {
	rows := []string{serialWalk, presizedWalk, halvesRow, ourWalk, hintedWalk, channelWalk}
	columns := []string{stringKeys, intKeys}
	return group{
		name:  "walk",
		title: "Walk",
		about: "The complete tree of the article \"Goroutines Are Cheap, but Not Free\": 349,525 nodes (a quick look: 21,845)\nof four children each, by path and by number. \"halves\" are serial walks, each with a map of its own, of parts\nof the tree: no walk with one set for all can do that. Then a graph whose visits wait for 1 ms.",
		list: func(procs int, quick bool, add func(subject)) {
			levels := treeLevels
			if quick {
				levels -= 2
			}
			s := strings4(levels)
			addWalks(add, stringKeys, procs, s)
			addWalks(add, intKeys, procs, ints4(s.nodes))
			g := ints4(20_000)
			visit := g.visit
			g.visit = func(ctx context.Context, k int64, push func(int64)) error {
				time.Sleep(time.Millisecond)
				return visit(ctx, k, push)
			}
			for _, w := range []walker[int64]{
				{sixtyFour, func(ctx context.Context, g graph[int64]) error { return sharedQueue(ctx, g, 64) }},
				{ourWalk, func(ctx context.Context, g graph[int64]) error {
					return sweetspot.Walk(ctx, slices.Values(g.roots), g.visit)
				}},
			} {
				add(subject{row: w.name, column: waitingFor, procs: procs, items: g.nodes, once: true, set: func(environment) task { return walking(g, w) }})
			}
		},
		report: func(r *findings) {
			r.grid("Time, and as a multiple of the serial walk:", rows, columns, r.timed(serialWalk))
			r.grid("Time per node:", rows, columns, r.each(perItem, stats.FormatTime))
			r.grid("Visits that wait: time, and as a multiple of 64 workers that share a queue:", []string{sixtyFour, ourWalk}, []string{waitingFor}, r.timed(sixtyFour))
			against := func(row, base, c string, most float64) {
				r.atMost(row+", "+c, r.ratios(row, base, c, ns), most, base)
			}
			for _, c := range columns {
				against(ourWalk, serialWalk, c, 0.9)
				against(hintedWalk, presizedWalk, c, 0.85)
				against(ourWalk, channelWalk, c, 0.12)
			}
			against(ourWalk, sixtyFour, waitingFor, 0.6)
		},
	}
}
