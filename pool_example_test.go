package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"iter"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// Each worker has a hash of its own.
func ExampleNewPool() {
	var sums atomic.Uint32
	p := sweetspot.NewPool(context.Background(), func(_ context.Context, files iter.Seq[string]) error {
		var h hash.Hash32 = crc32.NewIEEE()
		for file := range files {
			h.Reset()
			h.Write([]byte(file))
			sums.Add(h.Sum32())
		}
		return nil
	})
	for _, file := range []string{"a", "b", "c"} {
		if err := p.Submit(context.Background(), file); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(p.Close(), sums.Load())
	// Output: <nil> 1630571947
}

func ExamplePool_Submit() {
	p := sweetspot.NewPool(context.Background(), func(_ context.Context, tasks iter.Seq[func()]) error {
		for task := range tasks {
			task()
		}
		return nil
	})
	fmt.Println(p.Submit(context.Background(), func() { fmt.Println("done") }))
	p.Close()
	err := p.Submit(context.Background(), func() {})
	fmt.Println(err, errors.Is(err, sweetspot.ErrClosed))
	// Unordered output:
	// <nil>
	// done
	// sweetspot: the pool is closed true
}

// Drop what cannot be done at once.
func ExamplePool_TrySubmit() {
	begun, finish := make(chan bool), make(chan bool)
	p := sweetspot.NewPool(context.Background(), func(_ context.Context, tasks iter.Seq[int]) error {
		for range tasks {
			begun <- true
			<-finish
		}
		return nil
	}, sweetspot.Fixed(1))
	fmt.Println(p.TrySubmit(1)) // is begun
	<-begun
	fmt.Println(p.TrySubmit(2)) // waits in the queue
	fmt.Println(p.TrySubmit(3))
	go func() { <-begun }()
	close(finish)
	p.Close()
	// Output:
	// true
	// true
	// false
}

func ExamplePool_Close() {
	p := sweetspot.NewPool(context.Background(), func(_ context.Context, tasks iter.Seq[int]) error {
		for v := range tasks {
			if v%2 == 1 {
				return fmt.Errorf("%d is odd", v)
			}
		}
		return nil
	})
	p.Submit(context.Background(), 2)
	p.Submit(context.Background(), 5)
	fmt.Println(p.Close())
	// Output: 5 is odd
}
