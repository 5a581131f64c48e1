// Package adapter has what several adapters do with the end of a handler.
package adapter

import "github.com/sweetspot-go/sweetspot"

// Wrap returns the [*sweetspot.PanicError] for what a handler has panicked with, which may be one
// already.
func Wrap(value any, stack []byte) any {
	if p, ok := value.(*sweetspot.PanicError); ok {
		return p
	}
	return &sweetspot.PanicError{Value: value, Stack: stack}
}

// Judge returns the outcome by classify or, if that is nil, by usual. A value that is not an
// outcome becomes Ignored: the work has ended, and its result belongs to its caller.
func Judge(classify, usual func(error) sweetspot.Outcome, err error) sweetspot.Outcome {
	if classify == nil {
		return usual(err)
	}
	if o := classify(err); o <= sweetspot.Overloaded {
		return o
	}
	return sweetspot.Ignored
}
