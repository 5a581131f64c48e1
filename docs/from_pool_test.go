package docs_test

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sweetspot-go/sweetspot"
)

func consumePond(ctx context.Context, inbox <-chan message) error {
	pool := pond.NewPool(100, pond.WithQueueSize(1000))
	for m := range inbox {
		pool.Submit(func() { handle(ctx, m) })
	}
	pool.StopAndWait()
	return nil
}

func consumeAnts(ctx context.Context, inbox <-chan message) error {
	var wg sync.WaitGroup
	pool, err := ants.NewPoolWithFuncGeneric(100, func(m message) {
		defer wg.Done()
		handle(ctx, m)
	})
	if err != nil {
		return err
	}
	defer pool.Release()
	for m := range inbox {
		wg.Add(1)
		if err := pool.Invoke(m); err != nil {
			wg.Done()
			return err
		}
	}
	wg.Wait()
	return nil
}

func consume(ctx context.Context, inbox <-chan message) error {
	pool := sweetspot.NewPool(ctx, func(ctx context.Context, messages iter.Seq[message]) error {
		for m := range messages { // each worker has a range, and its own local variables
			handle(ctx, m)
		}
		return nil
	})
	for m := range inbox {
		if pool.Submit(ctx, m) != nil {
			break // Close says why
		}
	}
	return pool.Close()
}

func Example_fromPools() {
	for _, f := range []func(context.Context, <-chan message) error{consumePond, consumeAnts, consume} {
		handled.Store(0)
		fmt.Println(f(context.Background(), inbox(1000)), handled.Load())
	}
	// Output:
	// <nil> 500500
	// <nil> 500500
	// <nil> 500500
}
