package panics

import (
	"runtime"
	"runtime/debug"
)

// A Failure says how a callback ended that did not return. The zero value is that
// of one that did.
type Failure struct {
	value  any // to panic with; nil after a Goexit
	exited bool
}

// A Wrap returns what another goroutine panics with, given the value of a panic
// and the stack of the goroutine in which it happened. A value that was wrapped
// before should come back as it is.
type Wrap func(value any, stack []byte) any

// Caught returns the failure of a callback. value is what recover returned in the
// deferred function that calls Caught; nil means a Goexit.
func Caught(value any, wrap Wrap) Failure {
	if value == nil {
		return Failure{exited: true}
	}
	return Failure{value: wrap(value, debug.Stack())}
}

// Join takes in the failure of another callback. A panic goes before a Goexit, and the first panic
// before others.
func (f *Failure) Join(other Failure) {
	if f.value == nil {
		*f = other
	}
}

// Failed reports whether there is a failure.
func (f *Failure) Failed() bool { return f.exited || f.value != nil }

// Exited reports whether it is a Goexit.
func (f *Failure) Exited() bool { return f.exited }

// Value returns what Resume panics with, or nil.
func (f *Failure) Value() any { return f.value }

// Resume panics or ends the goroutine, as the callback did. It returns if the
// callback returned.
func (f *Failure) Resume() {
	switch {
	case f.value != nil:
		panic(f.value)
	case f.exited:
		runtime.Goexit()
	}
}
