// Package chanarray has channels that are used as arrays, and some that are not.
package chanarray

import (
	"os"
	"sync"
)

func squares(n int) (sum int) {
	c := make(chan int, n) // want `chanarray/quiet: this channel never leaves its goroutine, .*: append to a slice instead`
	for i := range n {
		c <- i * i
	}
	close(c)
	for s := range c {
		sum += s
	}
	return sum
}

// Another goroutine has it, too, if only to close it.
func closedElsewhere(n int) (sum int) {
	c := make(chan int, n)
	c <- n
	go close(c)
	for v := range c {
		sum += v
	}
	return sum
}

// In the second article, a goroutine fills the channel before another reads it.
func filled() (sum int) {
	full := make(chan int, 1000000) // want `chanarray/info: this channel has room for all that is sent, and so is an array with a lock`
	ready := make(chan int)
	go func() {
		for i := 0; i < 1000000; i++ {
			full <- i
		}
		ready <- 1
	}()
	<-ready
	for i := 0; i < 1000000; i++ {
		sum += <-full
	}
	return sum
}

func jobs(values []int, f func(int)) {
	c := make(chan int, len(values)) // want `chanarray/info: `
	for _, v := range values {
		c <- v
	}
	close(c)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for v := range c {
				f(v)
			}
		})
	}
	wg.Wait()
}

// Results of goroutines: the slots of a slice would do, but what they take matters more.
func results(n int, f func(int) int) (sum int) {
	c := make(chan int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { c <- f(i) })
	}
	wg.Wait()
	close(c)
	for v := range c {
		sum += v
	}
	return sum
}

// Read while it is filled.
func read(n int, f func(int) int) (sum int) {
	c := make(chan int, n)
	for i := range n {
		go func() { c <- f(i) }()
	}
	for range n {
		sum += <-c
	}
	return sum
}

// The jobs take I/O.
func removals(names []string) {
	c := make(chan string, len(names))
	for _, name := range names {
		c <- name
	}
	close(c)
	for range 4 {
		go func() {
			for name := range c {
				os.Remove(name)
			}
		}()
	}
}

// The loop hands each item to somebody who works meanwhile.
func handedOn(items []int, in chan<- int) {
	order := make(chan int, len(items))
	go func() {
		for i := range order {
			_ = i
		}
	}()
	for i := range items {
		in <- items[i]
		order <- i
	}
}

// Room for a few.
func few() (sum int) {
	c := make(chan int, 10)
	go func() {
		for i := range 10 {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		sum += v
	}
	return sum
}

// A ring: the oldest makes room.
func ring(values []int) int {
	c := make(chan int, 10)
	for _, v := range values {
		select {
		case c <- v:
		default:
			<-c
			c <- v
		}
	}
	return len(c)
}

// A semaphore.
func semaphore(n int, f func()) {
	tokens := make(chan struct{}, 4)
	for range n {
		tokens <- struct{}{}
		go func() {
			defer func() { <-tokens }()
			f()
		}()
	}
	for range 4 {
		tokens <- struct{}{}
	}
}

// Others have it.
type queue struct{ c chan int }

func (q *queue) turn(v int) int {
	if q.c == nil {
		q.c = make(chan int, 10)
	}
	q.c <- v
	return <-q.c
}

func handed(n int) (sum int) {
	c := make(chan int, n)
	given(c)
	for i := range n {
		c <- i
	}
	for range n {
		sum += <-c
	}
	return sum
}

func given(c chan int) { go func() { <-c; c <- 1 }() }

func stored(all map[int]chan int) int {
	c := make(chan int, 1)
	all[0] = c
	c <- 1
	return <-c
}
