// Package falseshare has goroutines that write slots of one slice.
package falseshare

import (
	"math"
	"sync"
	"sync/atomic"
)

const limit = 1 << 20

// The index is a parameter.
func sums(n int) []int {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for j := limit / n * i; j < limit/n*(i+1); j++ {
				sums[i] += j // want `falseshare/quiet: each goroutine writes its own sums\[i\] in a loop, but several of them share a cache line`
			}
		}(i)
	}
	wg.Wait()
	return sums
}

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

// Two fields of the slot: told once. Nothing to fix mechanically.
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

// The number comes from a counter, the slots are 16 bytes apart. Nobody knows that it
// is in range if the loop has no turn: no fix.
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

// A loop that has no end of its own has no fix.
func endless(n int) {
	sums := make([]int, n)
	for w := range n {
		go func() {
			for {
				sums[w]++ // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
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

// Two slots of one goroutine get names of their own.
func twoSlots(n int, data []int) ([]int, []int) {
	up, down := make([]int, n), make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for _, v := range data {
				up[w] += v // want `falseshare/quiet: each goroutine writes its own up\[w\]`
			}
			for _, v := range data {
				down[w] += -v // want `falseshare/quiet: each goroutine writes its own down\[w\]`
			}
		})
	}
	wg.Wait()
	return up, down
}

// Others are told meanwhile, and may read the slot then: no fix.
func published(n int, parts [][]int, told chan<- int) {
	sums := make([]int, n)
	for w := range n {
		go func() {
			for _, part := range parts {
				for _, v := range part {
					sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
				}
				told <- w
			}
		}()
	}
}

// The slot has another name in the loop: no fix.
func secondName(n int, data []int) []int {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			last := &sums[w]
			for _, v := range data {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
				if v < 0 {
					*last = 0
				}
			}
		})
	}
	wg.Wait()
	return sums
}

func thirdName(n int, data []int) {
	sums := make([]int, n)
	same := sums
	for w := range n {
		go func() {
			row := same[w:]
			for _, v := range data {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
				if v < 0 {
					row[0] = 0
				}
			}
		}()
	}
}

// What is copied when the goroutines are there is no second name in their loops.
func copied(n int, data []int) int {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i := w; i < len(data); i += n {
				sums[w] += data[i] // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		})
	}
	wg.Wait()
	return total(sums)
}

func total(sums []int) (n int) {
	for _, s := range sums {
		n += s
	}
	return n
}

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

// There may be fewer slots than goroutines, of which some have no turn: no fix.
func missing(slots, n int, data []int) {
	sums := make([]int, slots)
	for w := range n {
		go func() {
			for i := w; i < slots; i += n {
				sums[w] += data[i] // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

// A slice from elsewhere: no fix, unless it is what the goroutines are started for, or
// the loop surely writes.
func given(sums []int, n int, data []int) {
	for w := range n {
		go func() {
			for _, v := range data {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

func ranged(sums []int, data []int) {
	for w := range sums {
		go func() {
			for _, v := range data {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

func sure(sums []int, n int) {
	for w := range n {
		go func() {
			for i := range 1000 {
				sums[w] += i * i // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

func unsure(sums []int, n int, data [1000]int) {
	for w := range n {
		go func() {
			for i := range 1000 {
				if data[i] == 0 {
					continue
				}
				sums[w] += data[i] // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

// As many slots as there are parts.
func perPart(parts [][]int) []int {
	sums := make([]int, len(parts))
	for w, part := range parts {
		go func() {
			for _, v := range part {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
	return sums
}

// The number of goroutines changes after the slots were made: no fix.
func grown(n int, data []int) {
	sums := make([]int, n)
	n++
	for w := range n {
		go func() {
			for i := w; i < len(data)-1; i += n {
				sums[w] += data[i] // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

// A slice that may not have been made: no fix.
func perhaps(n int, data []int) {
	var sums []int
	if len(data) > 0 {
		sums = make([]int, n)
	}
	for w := range n {
		go func() {
			for _, v := range data {
				sums[w] += v // want `falseshare/quiet: each goroutine writes its own sums\[w\]`
			}
		}()
	}
}

// A receiver that may be nil: no fix.
func (s *stats) optional(data []int) {
	for w := range 8 {
		go func() {
			for _, v := range data {
				if s != nil && v < 0 {
					s.miss[w]++ // want `falseshare/quiet: each goroutine writes its own s\.miss\[w\]`
				}
			}
		}()
	}
}

func (s *stats) always(data []int) {
	for w := range 8 {
		go func() {
			for _, v := range data {
				if v < 0 {
					s.miss[w]++ // want `falseshare/quiet: each goroutine writes its own s\.miss\[w\]`
				}
			}
		}()
	}
}
