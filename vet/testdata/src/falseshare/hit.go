// Package falseshare has goroutines that write slots of one slice.
package falseshare

import (
	"math"
	"sync"
	"sync/atomic"
)

// The index is captured; a condition decides, and a small function of the package.
func counts(n int, data []int) []int {
	counts := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for _, v := range data {
				if even(v) {
					counts[w]++ // want `falseshare/quiet: each goroutine writes its own counts\[w\]`
				}
			}
		})
	}
	wg.Wait()
	return counts
}

func even(v int) bool { return v%2 == 0 }

type tally struct {
	n   int
	sum float64
}

// Two fields of the slot: told once.
func fields(n int, data []float64) []tally {
	t := make([]tally, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for _, v := range data {
				t[w].n++ // want `falseshare/quiet: each goroutine writes its own t\[w\]\.n`
				t[w].sum += math.Sqrt(v)
			}
		})
	}
	wg.Wait()
	return t
}

// A pointer to the slot, made in the goroutine.
func pointer(n int, data []float64) {
	t := make([]tally, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			own := &t[w]
			for _, v := range data {
				own.sum += v // want `falseshare/quiet: each goroutine writes its own own\.sum`
			}
		})
	}
	wg.Wait()
}

// A pointer to the slot, passed to a function of the package.
func passed(n int, data []int) {
	sums := make([]int, n)
	done := make(chan bool)
	for w := range n {
		go add(&sums[w], data, done)
	}
	for range n {
		<-done
	}
}

func add(to *int, data []int, done chan<- bool) {
	for _, v := range data {
		*to += v // want `falseshare/quiet: each goroutine writes its own \*to`
	}
	done <- true
}

// The slice and the index, passed to a function that the literal calls.
func called(n int, data []int) {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			accumulate(sums, w, data)
		}()
	}
	wg.Wait()
}

func accumulate(to []int, slot int, data []int) {
	for _, v := range data {
		to[slot] += v // want `falseshare/quiet: each goroutine writes its own to\[slot\]`
	}
}

// An array in a struct, and atomic operations.
type stats struct {
	hits [8]atomic.Int64
	miss [8]int64
}

func (s *stats) run(data []int) {
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for _, v := range data {
				if v > 0 {
					s.hits[w].Add(1) // want `falseshare/quiet: each goroutine updates its own s\.hits\[w\]`
				} else {
					atomic.AddInt64(&s.miss[w], 1)
				}
			}
		})
	}
	wg.Wait()
}

// Each goroutine appends: the header of its slice is the slot.
func gather(n int, data []int) [][]int {
	parts := make([][]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i := w; i < len(data); i += n {
				if data[i] > 0 {
					parts[w] = append(parts[w], data[i]) // want `falseshare/quiet: each goroutine writes its own parts\[w\]`
				}
			}
		})
	}
	wg.Wait()
	return parts
}

// The number comes from a counter, the slots are 16 bytes apart.
func numbered(n int, data []int) {
	sums := make([]int, 2*n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			id := next.Add(1) - 1
			for _, v := range data {
				sums[id*2] += v // want `falseshare/quiet: each goroutine writes its own sums\[id \* 2\]`
			}
		})
	}
	wg.Wait()
}

// What else the loop does takes longer than the write, as far as is known.
func slower(n int, data []string, f func(string) int) {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for _, v := range data {
				sums[w] += f(v) // want `falseshare/hot: each goroutine writes its own sums\[w\]`
			}
		})
	}
	wg.Wait()
}

// The loop is short.
func short(n int) {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for j := 0; j < 10; j++ {
				sums[w] += j // want `falseshare/hot: each goroutine writes its own sums\[w\]`
			}
		})
	}
	wg.Wait()
}

// Not so what is done without an error.
func valid(n int, data []int) []int {
	good := make([]int, n)
	for w := range n {
		go func() {
			for _, v := range data {
				if err := positive(v); err != nil {
					continue
				} else if err == nil {
					good[w]++ // want `falseshare/quiet: each goroutine writes its own good\[w\]`
				}
			}
		}()
	}
	return good
}

func positive(v int) error {
	if v < 0 {
		return errNegative
	}
	return nil
}

var errNegative error

// A pointer that an atomic function gets.
func atomicPointer(n int, data []int) {
	counts := make([]int64, n)
	for w := range n {
		own := &counts[w]
		go func() {
			for range data {
				atomic.AddInt64(own, 1) // want `falseshare/quiet: each goroutine updates its own \*own`
			}
		}()
	}
}

// A method, called as a function.
type ledgers [][]int

func (l ledgers) count(counts []int, w int) {
	for range l[w] {
		counts[w]++ // want `falseshare/quiet: each goroutine writes its own counts\[w\]`
	}
}

func methodExpression(n int, l ledgers) {
	counts := make([]int, n)
	for w := range n {
		go ledgers.count(l, counts, w)
	}
}

// A goroutine of each turn waits for the one that writes; the loop does not.
func besideWaits(parts [][]int, all *sync.WaitGroup, ready []chan int) []int {
	sums := make([]int, len(parts))
	for w, came := range ready {
		part := parts[<-came]
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, v := range part {
				sums[w] += v // want `each goroutine writes its own sums\[w\] in a loop`
			}
		}()
		all.Go(func() { <-done })
	}
	all.Wait()
	return sums
}

// Each turn waits, but not for the end of what it has started.
func waitsForOthers(parts [][]int, ticks []chan int) []int {
	sums := make([]int, len(parts))
	for w, part := range parts {
		started := make(chan struct{})
		go func() {
			close(started)
			for _, v := range part {
				sums[w] += v // want `each goroutine writes its own sums\[w\] in a loop`
			}
		}()
		<-started
	}
	for w, part := range parts {
		token := make(chan int, 1)
		token <- 1
		go func() {
			for _, v := range part {
				sums[w]++ // want `each goroutine writes its own sums\[w\] in a loop`
				sums[w] += v
			}
		}()
		<-token
	}
	for w, tick := range ticks {
		go func() {
			defer close(tick)
			for _, v := range parts[w] {
				sums[w] += v // want `each goroutine writes its own sums\[w\] in a loop`
			}
		}()
		<-tick
	}
	for w, part := range parts {
		done := make(chan struct{})
		go func() {
			for _, v := range part {
				sums[w] += v // want `each goroutine writes its own sums\[w\] in a loop`
			}
			close(done)
		}()
		select {
		case <-done:
		default:
		}
	}
	for w, part := range parts {
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {})
		wg.Go(func() {
			for _, v := range part {
				sums[w] += v // want `each goroutine writes its own sums\[w\] in a loop`
			}
		})
		defer wg.Wait()
	}
	return sums
}
