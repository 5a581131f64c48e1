package limit_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sweetspot-go/sweetspot/limit"
)

func ExampleNew() {
	s := limit.New(2)
	fmt.Println(s.TryAcquire(), s.TryAcquire(), s.TryAcquire())
	// Output: true true false
}

func ExampleSemaphore_Acquire() {
	s := limit.New(1)
	ctx, cancel := context.WithCancelCause(context.Background())

	fmt.Println(s.Acquire(ctx)) // the permit is ours
	cancel(errors.New("shutting down"))
	fmt.Println(s.Acquire(ctx)) // nothing is held
	s.Release()
	// Output:
	// <nil>
	// shutting down
}

func ExampleSemaphore_TryAcquire() {
	s := limit.New(1)
	if s.TryAcquire() {
		fmt.Println("in")
		s.Release()
	}
	// Output: in
}

func ExampleSemaphore_Release() {
	s := limit.New(1)
	s.TryAcquire()
	s.Release()
	fmt.Println(s.Counters().InFlight, "in flight,", s.Counters().Completed, "completed")
	// Output: 0 in flight, 1 completed
}

func ExampleSemaphore_Cancel() {
	s := limit.New(1)
	s.TryAcquire()
	s.Cancel() // it was not real work
	fmt.Println(s.Counters().InFlight, "in flight,", s.Counters().Completed, "completed")
	// Output: 0 in flight, 0 completed
}

func ExampleSemaphore_Renew() {
	s := limit.New(2)
	s.TryAcquire()
	s.TryAcquire()
	fmt.Println(s.Renew(), s.Counters().InFlight) // on to the next unit
	s.SetLimit(1)
	fmt.Println(s.Renew(), s.Counters().InFlight) // one too many: given back
	fmt.Println(s.Renew(), s.Counters().InFlight)
	fmt.Println(s.Counters().Completed, "completed")
	// Output:
	// true 2
	// false 1
	// true 1
	// 3 completed
}

func ExampleSemaphore_SetLimit() {
	s := limit.New(3)
	for s.TryAcquire() {
	}
	s.SetLimit(1) // revokes nothing
	fmt.Println(s.Counters().InFlight, "in flight, limit", s.Limit())
	s.Release()
	s.Release()
	fmt.Println("another:", s.TryAcquire())
	s.Release()
	fmt.Println("another:", s.TryAcquire())
	// Output:
	// 3 in flight, limit 1
	// another: false
	// another: true
}

func ExampleSemaphore_Limit() {
	s := limit.New(3)
	s.SetLimit(7)
	fmt.Println(s.Limit())
	// Output: 7
}

func ExampleSemaphore_Counters() {
	s := limit.New(2)
	s.TryAcquire()
	s.TryAcquire()
	s.Release()
	c := s.Counters()
	fmt.Printf("%d of %d in flight, %d waiting, %d completed, bound for %v\n",
		c.InFlight, c.Limit, c.Waiting, c.Completed, c.Bound)
	// Output: 1 of 2 in flight, 0 waiting, 1 completed, bound for 0s
}
