package articles

import (
	"fmt"
	"runtime"
	"time"
)

// C1: numbers from one goroutine to another, unbuffered, timed per 100,000.
func c1Unbuffered() {
	runtime.GOMAXPROCS(runtime.NumCPU()) // want `maxprocs/quiet: `
	numbers := make(chan int)
	total := make(chan float64)
	go func() {
		for i := 0; i < 1_000_000; i++ {
			numbers <- i // want `chanitem/quiet: each int passes through an unbuffered channel by itself, .*: send slices \(chan \[\]int\), or let sweetspot.ForEachSeq or sweetspot.WorkersRange share the loop out`
		}
		numbers <- -1
	}()
	go func() {
		sum := 0.0
		for {
			begin := time.Now()
			for i := 0; i < 100_000; i++ {
				if n := <-numbers; n == -1 {
					total <- sum
				}
			}
			took := time.Since(begin).Seconds()
			sum += took
			fmt.Println(took)
		}
	}()
	fmt.Println(<-total)
}

// C2: the same with a buffer of 100.
func c2Buffered() (sum int) {
	numbers := make(chan int, 100)
	go func() {
		for i := 0; i < 1_000_000; i++ {
			numbers <- i // want `chanitem/info: each int passes through a channel by itself, which takes a lock for it and often parks`
		}
		close(numbers)
	}()
	for n := range numbers {
		sum += n
	}
	return sum
}

// C3: a channel of channels, each made for one reply.
func c3Replies() {
	requests := make(chan chan int, 100)
	done := make(chan bool)
	go func() {
		for i := 0; i < 1_000_000; i++ {
			reply := make(chan int, 100)
			requests <- reply // want `chanitem/info: each turn makes a channel for one reply`
			<-reply
		}
		done <- true
	}()
	go func() {
		for i := 0; i < 1_000_000; i++ {
			reply := <-requests
			reply <- i
		}
		done <- true
	}()
	<-done
	<-done
}

// C4: a channel that is filled completely and then drained.
func c4Array() {
	numbers := make(chan int, 1_000_000) // want `chanarray/info: this channel has room for all that is sent`
	filled := make(chan bool)
	total := make(chan int)
	go func() {
		for i := 0; i < 1_000_000; i++ {
			numbers <- i // want `chanitem/info: each int passes through a channel by itself`
		}
		filled <- true
		close(numbers)
	}()
	go func() {
		<-filled
		sum := 0
		for n := range numbers {
			sum += n
		}
		total <- sum
	}()
	fmt.Println(<-total)
}

// C5: each request gets the next number, from a goroutine.
type c5Numbering struct{ next chan int }

func c5Start() *c5Numbering {
	s := &c5Numbering{next: make(chan int)}
	go func() {
		for i := 1; ; i++ {
			s.next <- i // want `chanitem/quiet: each int passes through an unbuffered channel by itself, .*: count with the Add of an atomic.Int64 instead`
		}
	}()
	return s
}

func (s *c5Numbering) number() int { return <-s.next }

// C6: one thread only.
func c6Single() {
	runtime.GOMAXPROCS(1) // want `maxprocs/info: `
}
