package articles

import "sync"

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// D2: two goroutines and two channels a call.
func d2Parallel(n int) int {
	if n < 2 {
		return n
	}
	a := make(chan int)
	go func() { a <- d2Parallel(n - 1) }() // want `recspawn/quiet: d2Parallel starts a goroutine at every level of its recursion`
	b := make(chan int)
	go func() { b <- d2Parallel(n - 2) }()
	return <-a + <-b
}

// D3: one goroutine a call, the other half inline.
func d3Parallel(n int) int {
	if n < 2 {
		return n
	}
	a := make(chan int)
	go func() { a <- d3Parallel(n - 1) }() // want `recspawn/quiet: d3Parallel starts a goroutine at every level`
	b := d3Parallel(n - 2)
	return <-a + b
}

type node interface{ Children() []node }

// D4: a goroutine for each node, and the set of them behind a channel.
func d4Mark(root node) map[node]struct{} {
	grays := make(chan node)
	seen := make(map[node]struct{})
	var wg sync.WaitGroup
	go func() {
		for gray := range grays {
			if _, ok := seen[gray]; ok {
				wg.Done()
				continue
			}
			seen[gray] = struct{}{}
			go func() { // want `recspawn/info: this starts a goroutine for each value of grays, to which these goroutines send again`
				defer wg.Done()
				for _, n := range gray.Children() {
					wg.Add(1)
					grays <- n
				}
			}()
		}
	}()
	wg.Add(1)
	grays <- root
	wg.Wait()
	close(grays)
	return seen
}

// D6: all runs at once.
func d6AtOnce() {
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() { fib(27) })
	}
	wg.Wait()
}
