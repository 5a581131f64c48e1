package sweetspot

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/limit"
)

// must panics with that text unless ok. It is inlined, so an argument that is right costs
// a comparison.
func must(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

// atLeast panics, naming what was given n, if that is less than least.
func atLeast[N int | int64](least N, what string, n N) {
	if n < least {
		panic(fmt.Sprintf("sweetspot: %s(%d): want %d or more", what, n, least))
	}
}

// within panics, naming what was given n, unless that is a limit.
func within(what string, n int) {
	if n < 1 || n > limit.MaxLimit {
		panic(fmt.Sprintf("sweetspot: %s(%d): want a number from 1 to %d", what, n, limit.MaxLimit))
	}
}
