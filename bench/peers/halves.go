package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// halves is a task that runs f(0) to f(n-1) at the same time. The goroutines of
// the others run already when it begins: it shows what independent programs
// achieve on this machine, which no division of one piece of work can beat.
func halves(n int, f func(part int), check func() error) task {
	var wg sync.WaitGroup
	var running, begun atomic.Int64
	return task{
		before: func() {
			running.Store(0)
			begun.Store(0)
			for part := 1; part < n; part++ {
				wg.Go(func() {
					running.Add(1)
					for begun.Load() == 0 {
						runtime.Gosched()
					}
					f(part)
				})
			}
			for running.Load() < int64(n-1) {
				runtime.Gosched()
			}
		},
		run: func() error {
			begun.Store(1)
			f(0)
			wg.Wait()
			return nil
		},
		check: check,
	}
}
