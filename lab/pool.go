package lab

import "sync"

// A result is what became of a unit of work.
type result[I, O any] struct {
	in  I
	out O
	err error
}

// do is the pool of the article "Parallelism in Go - Part 2", written from its
// description: some workers take units from a channel with a buffer, and put one
// result for each into another. Results are in the order of their making.
func do[I, O any](units []I, f func(I) (O, error), workers, buffer int) []result[I, O] {
	return pool(units, workers, buffer, func(in <-chan I, out chan<- result[I, O]) {
		for unit := range in {
			o, err := f(unit)
			out <- result[I, O]{unit, o, err}
		}
	})
}

// doWithState is do with a state that each worker makes once, and hands to all
// its calls of f.
func doWithState[I, O, S any](units []I, state func() S, f func(S, I) (O, error), workers, buffer int) []result[I, O] {
	return pool(units, workers, buffer, func(in <-chan I, out chan<- result[I, O]) {
		s := state()
		for unit := range in {
			o, err := f(s, unit)
			out <- result[I, O]{unit, o, err}
		}
	})
}

// pool runs the workers between the channels, and collects what they make.
func pool[I, R any](units []I, workers, buffer int, worker func(in <-chan I, out chan<- R)) []R {
	in, out := make(chan I, buffer), make(chan R, buffer)
	go func() {
		defer close(in)
		for _, unit := range units {
			in <- unit
		}
	}()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { worker(in, out) })
	}
	go func() {
		defer close(out)
		working.Wait()
	}()
	results := make([]R, 0, len(units))
	for r := range out {
		results = append(results, r)
	}
	return results
}
