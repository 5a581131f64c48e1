package docs_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
	"golang.org/x/sync/semaphore"
)

func visitAllBefore(ctx context.Context, urls []string) error {
	slots := semaphore.NewWeighted(20)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, url := range urls {
		if err := slots.Acquire(ctx, 1); err != nil {
			return err
		}
		wg.Go(func() {
			defer slots.Release(1)
			visit(ctx, url)
		})
	}
	return nil
}

var slots = sweetspot.New(sweetspot.Name("web")) // no number

func visitAll(ctx context.Context, urls []string) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, url := range urls {
		if err := slots.Acquire(ctx); err != nil {
			return err
		}
		wg.Go(func() {
			defer slots.Release()
			visit(ctx, url)
		})
	}
	return nil
}

func visitAllTimed(ctx context.Context, urls []string) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, url := range urls {
		unit, err := slots.Begin(ctx)
		if err != nil {
			return err
		}
		wg.Go(func() {
			outcome := sweetspot.Done
			if err := visit(ctx, url); err != nil {
				outcome = sweetspot.Ignored // a failure is not throughput
			}
			unit.End(outcome, 1)
		})
	}
	return nil
}

func Example_fromSemaphore() {
	before := slots.Stats().Completed
	for _, f := range []func(context.Context, []string) error{visitAllBefore, visitAll, visitAllTimed} {
		fmt.Println(f(context.Background(), names(100)))
	}
	fmt.Println(slots.Stats().Completed-before, slots.Stats().InFlight)
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// 200 0
}

func Example_elastic() {
	s := limit.New(20)
	s.SetLimit(5) // whenever you know better
	fmt.Println(s.Limit())
	// Output: 5
}
