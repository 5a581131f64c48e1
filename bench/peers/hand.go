package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// loop is what everything is measured against.
//
//go:noinline
func loop(ctx context.Context, items []int, f work) ([]int, error) {
	results := make([]int, len(items))
	for i, v := range items {
		r, err := f(ctx, v)
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	return results, nil
}

// into is loop over a part of the items.
//
//go:noinline
func into(ctx context.Context, results, items []int, f work) error {
	for i, v := range items {
		r, err := f(ctx, v)
		if err != nil {
			return err
		}
		results[i] = r
	}
	return nil
}

// A failure keeps the first error of several goroutines.
type failure struct {
	once sync.Once
	err  error
}

func (f *failure) set(err error) {
	if err != nil {
		f.once.Do(func() { f.err = err })
	}
}

// chunks gives each of n goroutines, the caller among them, one part of equal
// length.
func chunks(ctx context.Context, items []int, f work, n int) ([]int, error) {
	results := make([]int, len(items))
	var wg sync.WaitGroup
	var failed failure
	part := func(i int) {
		lo, hi := len(items)*i/n, len(items)*(i+1)/n
		failed.set(into(ctx, results[lo:hi], items[lo:hi], f))
	}
	for i := 1; i < n; i++ {
		wg.Go(func() { part(i) })
	}
	part(0)
	wg.Wait()
	return results, failed.err
}

// guided lets n goroutines, the caller among them, claim a quarter of an even
// share of what is left, again and again: few claims, and little to wait for at
// the end (guided self-scheduling, Polychronopoulos and Kuck, 1987).
func guided(ctx context.Context, items []int, f work, n int) ([]int, error) {
	results := make([]int, len(items))
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed failure
	worker := func() {
		for {
			lo := next.Load()
			hi := min(lo+max(1, (int64(len(items))-lo)/int64(4*n)), int64(len(items)))
			if lo >= hi {
				return
			}
			if next.CompareAndSwap(lo, hi) {
				failed.set(into(ctx, results[lo:hi], items[lo:hi], f))
			}
		}
	}
	for range n - 1 {
		wg.Go(worker)
	}
	worker()
	wg.Wait()
	return results, failed.err
}

// each lets n goroutines claim one item at a time.
func each(ctx context.Context, items []int, f work, n int) ([]int, error) {
	results := make([]int, len(items))
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed failure
	for range n {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				failed.set(into(ctx, results[i:i+1], items[i:i+1], f))
			}
		})
	}
	wg.Wait()
	return results, failed.err
}

// spawned starts a goroutine for each item, with no limit.
func spawned(ctx context.Context, items []int, f work, _ int) ([]int, error) {
	results := make([]int, len(items))
	var wg sync.WaitGroup
	var failed failure
	for i, v := range items {
		wg.Go(func() {
			r, err := f(ctx, v)
			results[i] = r
			failed.set(err)
		})
	}
	wg.Wait()
	return results, failed.err
}

// channelled starts a goroutine for each item, n at a time, by a buffered
// channel.
func channelled(ctx context.Context, items []int, f work, n int) ([]int, error) {
	results := make([]int, len(items))
	permits := make(chan struct{}, n)
	var wg sync.WaitGroup
	var failed failure
	for i, v := range items {
		permits <- struct{}{}
		wg.Go(func() {
			r, err := f(ctx, v)
			results[i] = r
			failed.set(err)
			<-permits
		})
	}
	wg.Wait()
	return results, failed.err
}

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
