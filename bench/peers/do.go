package main

import "sync"

// A doResult is what [doWork] gives for one unit of work.
type doResult[I, O any] struct {
	in  I
	out O
	err error
}

// doWork is the function Do of the article "Parallelism in Go", written from its
// description: units go to the workers through one channel and results come
// back, in any order, through another; both have the same buffer.
func doWork[I, O any](units []I, f func(I) (O, error), workers, buffer int) []doResult[I, O] {
	todo := make(chan I, buffer)
	done := make(chan doResult[I, O], buffer)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for in := range todo {
				out, err := f(in)
				done <- doResult[I, O]{in, out, err}
			}
		})
	}
	go func() {
		for _, in := range units {
			todo <- in
		}
		close(todo)
	}()
	go func() {
		wg.Wait()
		close(done)
	}()
	results := make([]doResult[I, O], 0, len(units))
	for r := range done {
		results = append(results, r)
	}
	return results
}
