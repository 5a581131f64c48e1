// Package iobound has workers, and their number.
package iobound

import (
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"iobound/remote"
)

func asking(names <-chan string) {
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() { // want `info: there are as many workers as CPUs, but each of them waits for another machine or process, .*: sweetspot.ForEachSeq, or a sweetspot.Pool, finds how many pay`
			for name := range names {
				remote.Ask(name)
			}
		})
	}
	n := 2 * runtime.GOMAXPROCS(0)
	for i := 0; i < n; i++ {
		go worker(names, nil) // want `info: there are as many workers as CPUs`
	}
	wg.Wait()
}

func worker(names <-chan string, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case name := <-names:
			ask(name)
		}
	}
}

func ask(name string) { remote.Ask(name) }

func grouped(names []string) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		g.Go(func() error { return remote.Ask(name) }) // want `info: as many of these goroutines as there are CPUs run at a time, .*: let the SetLimiter of a sweetspot.Group find how many pay`
	}
	return g.Wait()
}

// None of these.

func computing(numbers <-chan int, f func(int) int) {
	for range runtime.NumCPU() {
		go func() {
			for n := range numbers {
				f(n)
			}
		}()
	}
}

func files(names <-chan string) {
	for range runtime.NumCPU() {
		go func() {
			for name := range names {
				os.ReadFile(name)
			}
		}()
	}
}

func many(names <-chan string, n int) {
	for range n {
		go worker(names, nil)
	}
}

func groupedMany(names []string) error {
	var g errgroup.Group
	g.SetLimit(100)
	for _, name := range names {
		g.Go(func() error { return remote.Ask(name) })
	}
	return g.Wait()
}

// Each of them asks once.
func once(name string) {
	for range runtime.NumCPU() {
		go remote.Ask(name)
	}
}
