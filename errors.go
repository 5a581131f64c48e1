package sweetspot

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// An ItemError says which item of a call failed.
type ItemError struct {
	Index int   // in the slice, or in the order in which a sequence gave its values
	Err   error // what the callback returned
}

// Error returns the message of Err with the index in front.
func (e *ItemError) Error() string { return fmt.Sprintf("item %d: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *ItemError) Unwrap() error { return e.Err }

// A PanicError is a panic of a callback on its way to the caller. The blocking calls of
// this package recover it where it happened, let the running callbacks finish, and
// panic with it in the goroutine of the caller. A panic that passes through several
// nested calls is wrapped once, where it happened.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // of the goroutine that panicked, as of [debug.Stack]
}

// Error returns the value and the stack, so that the crash message of a program shows
// where the callback panicked.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// Unwrap returns Value if that is an error, or nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// wrapPanic returns the *PanicError for a value that was recovered, which may be
// one already.
func wrapPanic(value any, stack []byte) any {
	if e, ok := value.(*PanicError); ok {
		return e
	}
	return &PanicError{Value: value, Stack: stack}
}

// wrapped, when deferred, makes the value of a panic a *PanicError.
func wrapped() {
	if value := recover(); value != nil {
		failure := panics.Caught(value, wrapPanic)
		failure.Resume()
	}
}

type itemErrors struct {
	all  bool // the call goes on after an error ([AllErrors])
	mu   sync.Mutex
	list []*ItemError
}

// take takes note of the error of an item that w has done, and returns the error to end
// the call with, or nil if the call goes on.
func (e *itemErrors) take(w *call.Worker, index int, err error) error {
	if cause := w.Blame(err); cause != nil {
		return cause
	}
	of := &ItemError{index, err}
	if !e.all {
		return of
	}
	e.mu.Lock()
	e.list = append(e.list, of)
	e.mu.Unlock()
	return nil
}

// join returns all errors in the order of the items, and then last, or nil if
// there is none.
func (e *itemErrors) join(last error) error {
	if len(e.list) == 0 {
		return last
	}
	slices.SortFunc(e.list, func(a, b *ItemError) int { return a.Index - b.Index })
	errs := make([]error, 0, len(e.list)+1)
	for _, err := range e.list {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, last)...)
}
