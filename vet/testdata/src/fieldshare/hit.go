// Package fieldshare has goroutines that write neighbouring memory.
package fieldshare

import (
	"sync"
	"sync/atomic"
)

// Small variables of one function, which move to the heap side by side.
func variables(data []int) (int, int) {
	var evens, odds int
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < len(data); i += 2 {
			evens += data[i]
		}
	})
	wg.Go(func() {
		for i := 1; i < len(data); i += 2 {
			odds += data[i] // want `fieldshare/quiet: this goroutine writes odds in a loop while another one writes evens, which lies in the same cache line`
		}
	})
	wg.Wait()
	return evens, odds
}

type result struct {
	positive, negative int
	large              [100]byte
	far                int
}

// Fields of one struct, behind a pointer or not.
func fields(data []int) result {
	var r result
	s := &r
	done := make(chan bool)
	go func() {
		for _, v := range data {
			if v > 0 {
				r.positive++
			}
		}
		done <- true
	}()
	go func() {
		for _, v := range data {
			if v < 0 {
				s.negative++ // want `fieldshare/quiet: this goroutine writes s\.negative in a loop while another one writes r\.positive`
			}
		}
		done <- true
	}()
	go func() {
		for _, v := range data {
			r.far += v
		}
		done <- true
	}()
	for range 3 {
		<-done
	}
	return r
}

// Elements with constant indices; a method is what a goroutine runs.
type sides struct{ sums [2]int }

func (s *sides) left(data []int) {
	for _, v := range data {
		s.sums[0] += v
	}
}

func (s *sides) right(data []int) {
	for _, v := range data {
		s.sums[1] += v // want `fieldshare/quiet: this goroutine writes s\.sums\[1\] in a loop while another one writes s\.sums\[0\]`
	}
}

func (s *sides) run(data []int) {
	go s.left(data)
	go s.right(data)
}

// Pointers to neighbouring elements.
func pointers(data []int) int {
	sums := make([]int, 2)
	var wg sync.WaitGroup
	wg.Add(2)
	go add(&sums[0], data, &wg)
	go add(&sums[1], data, &wg)
	wg.Wait()
	return sums[0] + sums[1]
}

func add(to *int, data []int, wg *sync.WaitGroup) {
	defer wg.Done()
	for _, v := range data {
		*to += v // want `fieldshare/quiet: this goroutine writes \*to in a loop while another one writes \*to`
	}
}

// What else the loops do takes longer, as far as is known.
func slower(data []string, f func(string) int) {
	var a, b int
	go func() {
		for _, v := range data {
			a += f(v)
		}
	}()
	go func() {
		for _, v := range data {
			b += f(v) // want `fieldshare/hot: this goroutine writes b in a loop`
		}
	}()
}

// A loop that waits at each round.
func received(in, out chan int) {
	var n, m int
	go func() {
		for range in {
			n++
		}
	}()
	go func() {
		for {
			out <- m
			m++ // want `fieldshare/hot: this goroutine writes m`
		}
	}()
}

// Atomics in one struct that different functions write, or one alone.
type counters struct {
	hits, misses atomic.Int64
	resets       int64
	_            [64]byte
	far, near    atomic.Int64
}

func (c *counters) hit()   { c.hits.Add(1) }                 // want `fieldshare/hot: c\.hits lies in the same cache line as misses`
func (c *counters) miss()  { c.misses.Add(1) }               // want `fieldshare/hot: c\.misses lies in the same cache line as hits`
func (c *counters) reset() { atomic.AddInt64(&c.resets, 1) } // want `fieldshare/hot: c\.resets lies in the same cache line as hits`
func (c *counters) both()  { c.far.Add(1); c.near.Store(2) }
func (c *counters) read()  { c.far.Load(); c.near.Load() }
