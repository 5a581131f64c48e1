package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

func ExampleGroup() {
	var g sweetspot.Group
	g.SetLimit(4)
	squares := make([]int, 10)
	for i := range squares {
		g.Go(func() error {
			squares[i] = i * i
			return nil
		})
	}
	fmt.Println(g.Wait(), squares)
	// Output: <nil> [0 1 4 9 16 25 36 49 64 81]
}

func ExampleNewGroup() {
	g, ctx := sweetspot.NewGroup(context.Background())
	g.Go(func() error {
		<-ctx.Done() // another function fails, so this one need not go on
		return context.Cause(ctx)
	})
	g.Go(func() error { return errors.New("disk full") })
	fmt.Println(g.Wait())
	// Output: disk full
}

func ExampleGroup_Go() {
	var g sweetspot.Group
	var sum atomic.Int64
	for i := range 100 {
		g.Go(func() error {
			sum.Add(int64(i))
			return nil
		})
	}
	fmt.Println(g.Wait(), sum.Load())
	// Output: <nil> 4950
}

func ExampleGroup_TryGo() {
	var g sweetspot.Group
	g.SetLimit(1)
	end := make(chan bool)
	work := func() error { <-end; return nil }
	fmt.Println(g.TryGo(work), g.TryGo(work))
	close(end)
	g.Wait()
	// Output: true false
}

func ExampleGroup_GoContext() {
	var g sweetspot.Group
	g.SetLimit(1)
	end := make(chan bool)
	g.Go(func() error { <-end; return nil })

	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errors.New("no time left"))
	defer cancel()
	fmt.Println(g.GoContext(ctx, func(context.Context) error { return errors.New("never called") }))
	close(end)
	fmt.Println(g.Wait())
	// Output:
	// no time left
	// <nil>
}

func ExampleGroup_SetLimit() {
	var g sweetspot.Group
	end := make(chan bool)
	work := func() error { <-end; return nil }
	g.Go(work)
	g.Go(work)
	g.SetLimit(2) // at any time; the two that run count
	fmt.Println(g.TryGo(work))
	g.SetLimit(3)
	fmt.Println(g.TryGo(work))
	close(end)
	g.Wait()
	// Output:
	// false
	// true
}

// Two groups share what the database can bear, which is found by measuring.
func ExampleGroup_SetLimiter() {
	database := sweetspot.New(sweetspot.Name("database"))
	var rows atomic.Int64
	query := func() error { rows.Add(1); return nil }

	var reports, cleanup sweetspot.Group
	reports.SetLimiter(database)
	cleanup.SetLimiter(database)
	cleanup.SetLimit(2) // at most two of the permits
	for range 10 {
		reports.Go(query)
		cleanup.Go(query)
	}
	fmt.Println(reports.Wait(), cleanup.Wait(), rows.Load(), database.Stats().Completed)
	// Output: <nil> <nil> 20 20
}

func ExampleGroup_Wait() {
	var g sweetspot.Group
	g.Go(func() error { return errors.New("first") })
	fmt.Println(g.Wait())
	g.Go(func() error { return errors.New("second") })
	fmt.Println(g.Wait()) // the first stays
	// Output:
	// first
	// first
}
