package pitfalls

import (
	"context"
	"iter"
	"sync"

	"github.com/sweetspot-go/sweetspot"
)

// generate has squares made on one side and added on the other.
func generate() pitfall {
	return pitfall{"chanitem", "a generator", "number", 1 << 16, func(n int) []form {
		return []form{
			{name: "a channel", run: func() int {
				total := 0
				for x := range squaresSent(n) {
					total += x
				}
				return total
			}},
			{name: "a channel with a buffer of 100", run: func() int {
				total := 0
				for x := range squaresBuffered(n) {
					total += x
				}
				return total
			}},
			{name: "a channel of batches", run: func() int {
				total := 0
				for xs := range squaresInBatches(n) {
					for _, x := range xs {
						total += x
					}
				}
				return total
			}},
			{name: "iter.Seq", run: func() int {
				total := 0
				for x := range squares(n) {
					total += x
				}
				return total
			}},
		}
	}}
}

func squaresSent(n int) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := range n {
			ch <- i * i // each one waits until the other side has come for it
		}
	}()
	return ch
}

func squares(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i * i) {
				return
			}
		}
	}
}

func squaresInBatches(n int) <-chan []int {
	ch := make(chan []int, 1)
	go func() {
		defer close(ch)
		for low := 0; low < n; low += 512 {
			batch := make([]int, 0, 512)
			for i := low; i < min(low+512, n); i++ {
				batch = append(batch, i*i)
			}
			ch <- batch
		}
	}()
	return ch
}

func squaresBuffered(n int) <-chan int {
	ch := make(chan int, 100)
	go func() {
		defer close(ch)
		for i := range n {
			ch <- i * i
		}
	}()
	return ch
}

// handOut has the squares of a slice made by several goroutines.
func handOut() pitfall {
	return pitfall{"chanitem", "indices for workers", "item", 1 << 16, func(n int) []form {
		out := make([]int, n)
		done := func() int { last := out[n-1]; clear(out); return last }
		return []form{
			{name: "a channel", run: func() int { fillSent(out, procs()); return done() }},
			{name: "a part for each worker", run: func() int { fillParts(out, procs()); return done() }},
			{name: "WorkersRange", run: func() int { fillRange(out); return done() }},
		}
	}}
}

func fillSent(out []int, workers int) {
	indices := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range indices {
				out[i] = i * i
			}
		})
	}
	for i := range out {
		indices <- i
	}
	close(indices)
	wg.Wait()
}

func fillParts(out []int, workers int) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := len(out) * w / workers; i < len(out)*(w+1)/workers; i++ {
				out[i] = i * i
			}
		})
	}
	wg.Wait()
}

func fillRange(out []int) {
	err := sweetspot.WorkersRange(context.Background(), len(out), func(ctx context.Context, chunks iter.Seq2[int, int]) error {
		for low, high := range chunks {
			for i := low; i < high; i++ {
				out[i] = i * i
			}
		}
		return nil
	})
	if err != nil {
		panic(err) // nothing in it can fail
	}
}
