package docs_test

import (
	"context"
	"fmt"

	"github.com/sweetspot-go/sweetspot"
)

func account(l *sweetspot.Limiter) {
	for _, c := range l.Decisions() {
		fmt.Printf("%6.2f s  %v\n", c.At.Seconds(), c.Reason)
	}
}

func Example_look() {
	l := sweetspot.New(sweetspot.Start(20), sweetspot.Observe())
	for range 100 {
		l.Do(context.Background(), func(context.Context) error { return nil })
	}
	fmt.Println(l.Limit(), l.Stats().Completed)
	l.SetLimit(30)
	fmt.Println(l.Limit())
	// Output:
	// 20 100
	// 30
}

func Example_ask() {
	l := sweetspot.New(sweetspot.Start(2))
	l.SetLimit(8)
	account(l)
	// Output: 0.00 s  2→8: set manually
}
