// Command versions measures the channels of experiment C7 with whatever version of Go
// compiles it, from 1.1 on: it is one file, and uses nothing newer. Copy it elsewhere, and
// run it with the other version; benchstat puts it beside sweetspot lab run C7 --bench,
// which also says the CPU and the scale:
//
//	go run main.go > go1.1.txt
//	sweetspot lab run C7 --bench new.txt
//	benchstat -ignore cpu,scale -col .file go1.1.txt new.txt
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

const replyBuffer = 100

// stream sends n ints from one goroutine to another.
func stream(n, buffer int) int {
	ints, done := make(chan int, buffer), make(chan int)
	go func() {
		for i := 0; i < n; i++ {
			ints <- i
		}
	}()
	go func() {
		sum := 0
		for i := 0; i < n; i++ {
			sum += <-ints
		}
		done <- sum
	}()
	return <-done
}

// replies sends n requests, each a channel made for its reply.
func replies(n int) int {
	requests, done := make(chan chan int, replyBuffer), make(chan int)
	go func() {
		sum := 0
		for i := 0; i < n; i++ {
			reply := make(chan int, replyBuffer)
			requests <- reply
			sum += <-reply
		}
		done <- sum
	}()
	go func() {
		for i := 0; i < n; i++ {
			reply := <-requests
			reply <- i
		}
	}()
	return <-done
}

func main() {
	n := flag.Int("n", 500000, "values of each run")
	rounds := flag.Int("rounds", 10, "runs of each")
	flag.Parse()
	if *n < 1 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "versions: -n and -rounds must be 1 or more")
		os.Exit(2)
	}
	fmt.Printf("goos: %s\ngoarch: %s\nUnit ns/value better=lower\n# %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
	for round := 0; round < *rounds; round++ {
		for _, v := range []struct {
			name string
			run  func(n int) int
		}{
			{"unbuffered", func(n int) int { return stream(n, 0) }},
			{"buffer-1", func(n int) int { return stream(n, 1) }},
			{"buffer-100", func(n int) int { return stream(n, 100) }},
			{"channel-of-channels", replies},
		} {
			for _, cpus := range []int{1, runtime.NumCPU()} {
				runtime.GOMAXPROCS(cpus)
				began := time.Now()
				sum := v.run(*n)
				took := time.Since(began)
				if sum != *n*(*n-1)/2 {
					fmt.Fprintf(os.Stderr, "versions: %s: the sum is %d, want %d\n", v.name, sum, *n*(*n-1)/2)
					os.Exit(1)
				}
				fmt.Printf("BenchmarkC7/variant=%s/CPUs=%d-%d 1 %g ns/value\n", v.name, cpus, cpus, float64(took.Nanoseconds())/float64(*n))
				if runtime.NumCPU() == 1 {
					break
				}
			}
		}
	}
}
