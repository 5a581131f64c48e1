package pitfalls

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// visitTree visits a tree of four children each, as one walks a site, a folder or
// a heap.
func visitTree() pitfall {
	return pitfall{"recspawn", "a tree of cheap nodes", "node", 1 << 16, func(n int) []form {
		children := func(node int) []int {
			var next []int
			for c := 4*node + 1; c <= 4*node+4 && c < n; c++ {
				next = append(next, c)
			}
			return next
		}
		return []form{
			{name: "a goroutine for each node", run: func() int { return visitEach(0, children) }},
			{name: "Walk", run: func() int { return visitWalk(0, children) }},
			{name: "no goroutine", run: func() int { return visitSerial(0, children) }},
		}
	}}
}

func visitEach(root int, children func(int) []int) (visited int) {
	var mu sync.Mutex
	seen := map[int]bool{}
	var wg sync.WaitGroup
	var visit func(node int)
	visit = func(node int) {
		mu.Lock()
		again := seen[node]
		seen[node] = true
		mu.Unlock()
		if again {
			return
		}
		for _, c := range children(node) {
			wg.Go(func() { visit(c) })
		}
	}
	visit(root)
	wg.Wait()
	return len(seen)
}

func visitWalk(root int, children func(int) []int) int {
	var visited atomic.Int64
	err := sweetspot.Walk(context.Background(), slices.Values([]int{root}),
		func(ctx context.Context, node int, push func(int)) error {
			visited.Add(1)
			for _, c := range children(node) {
				push(c)
			}
			return nil
		})
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return int(visited.Load())
}

func visitSerial(root int, children func(int) []int) int {
	seen := map[int]bool{root: true}
	for stack := []int{root}; len(stack) > 0; {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, c := range children(node) {
			if !seen[c] {
				seen[c] = true
				stack = append(stack, c)
			}
		}
	}
	return len(seen)
}
