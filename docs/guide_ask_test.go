package docs_test

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot"
)

func account(l *sweetspot.Limiter) {
	for _, c := range l.Changes() {
		fmt.Printf("%6.2f s  %v\n", c.At.Seconds(), c.Reason)
	}
}

func Example_ask() {
	l := sweetspot.New(sweetspot.Start(2))
	l.SetLimit(8)
	account(l)
	// Output: 0.00 s  2→8: set by hand
}
