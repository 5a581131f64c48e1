// Package chanitem has channels that carry one item at a time, and some that look
// like it.
package chanitem

import (
	"math"
	"runtime"
	"sync"
)

// Through parameters of functions of their own.
func parameters(values []float64) float64 {
	c := make(chan float64)
	go produce(values, c)
	return consume(c)
}

func produce(values []float64, to chan<- float64) {
	for _, v := range values {
		to <- math.Sqrt(v) // want `chanitem/quiet: each float64 passes`
	}
	close(to)
}

func consume(from <-chan float64) (sum float64) {
	for {
		v, ok := <-from
		if !ok {
			return sum
		}
		sum += v
	}
}

// Workers that get one index each.
func workers(n int, f func(int) float64) []float64 {
	out := make([]float64, n)
	indexes := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range indexes {
				out[i] = f(i)
			}
		})
	}
	for i := range n {
		indexes <- i // want `chanitem/quiet: .*: hand out ranges of them, as sweetspot.WorkersRange does, or slices`
	}
	close(indexes)
	wg.Wait()
	return out
}

// What a generic function sends is of a size that is not known, whatever is taken for it here.
func each[T any](items []T) <-chan T {
	c := make(chan T)
	go func() {
		defer close(c)
		for _, item := range items {
			c <- item
		}
	}()
	return c
}

func eachPointer[T any](items []T) <-chan *T {
	c := make(chan *T)
	go func() {
		defer close(c)
		for i := range items {
			c <- &items[i] // want `chanitem/quiet: each \*T passes .*: return an iter.Seq\[\*T\]`
		}
	}()
	return c
}

func ofInts(items []int) (sum int) {
	for item := range each(items) {
		sum += item
	}
	for item := range eachPointer(items) {
		sum += *item
	}
	return sum
}

// A generator.
type tree struct {
	left, right *tree
	keys        []int
}

func (t *tree) iter(done <-chan struct{}) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for _, k := range t.keys {
			select {
			case c <- k: // want `chanitem/quiet: .*: return an iter.Seq\[int\], which needs no goroutine and leaks none if the reader stops`
			case <-done:
				return
			}
		}
	}()
	return c
}

// Each is its reader, in this package.
func (t *tree) Each(f func(int)) {
	for k := range t.iter(nil) {
		f(k)
	}
}

// A generator that other packages read.
func Numbers(n int) <-chan int {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i // want `chanitem/quiet: .*: return an iter.Seq\[int\]`
		}
		close(c)
	}()
	return c
}

// A stage of a pipeline.
func double(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		for v := range in {
			out <- 2 * v // want `chanitem/info: .*: do the work of this stage in the one before or after it`
		}
		close(out)
	}()
	return out
}

func pipeline() (sum int) {
	for v := range double(double(Numbers(10))) {
		sum += v
	}
	return sum
}

// The third listing: a channel for each reply.
func replies() (sum int) {
	requests := make(chan chan int, 100)
	go func() {
		for i := 0; i < 1000000; i++ {
			reply := <-requests
			reply <- i // want `hot`
		}
	}()
	for i := 0; i < 1000000; i++ {
		reply := make(chan int, 100)
		requests <- reply // want `chanitem/info: each turn makes a channel for one reply, and parks twice to get it`
		sum += <-reply
	}
	return sum
}

// An element goes to workers that compute for long: they may hide the channel.
func primes(n int, found func(int)) {
	c := make(chan int)
	for range 4 {
		go func() {
			for i := range c {
				if prime(i) {
					found(i)
				}
			}
		}()
	}
	for i := range n {
		c <- i // want `hot`
	}
	close(c)
}

func prime(n int) bool {
	for i := 2; i*i <= n; i++ {
		if n%i == 0 {
			return false
		}
	}
	return true
}

// As many items as the array is long, whatever is written of it.
func arrays() (sum int) {
	c := make(chan int)
	go func() {
		for i := range [1000]struct{}{} {
			c <- i // want `quiet`
		}
		marks := [1000]bool{7: true}
		for i := range marks {
			c <- i // want `quiet`
		}
		for i := range []int{999: 1} {
			c <- i // want `quiet`
		}
		close(c)
	}()
	for i := range c {
		sum += i
	}
	return sum
}
