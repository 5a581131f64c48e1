package sweetspot

import (
	"errors"
	"fmt"
	"sync"
)

// A KeyError says at which key a [Walk] failed.
type KeyError[K comparable] struct {
	Key K
	Err error // what visit returned
}

// Error returns the message of Err with the key in front.
func (e *KeyError[K]) Error() string { return fmt.Sprintf("key %v: %v", e.Key, e.Err) }

// Unwrap returns Err.
func (e *KeyError[K]) Unwrap() error { return e.Err }

// keyErrors gathers the errors of a Walk that goes on after one.
type keyErrors struct {
	mu   sync.Mutex
	list []error
}

func (e *keyErrors) add(err error) {
	e.mu.Lock()
	e.list = append(e.list, err)
	e.mu.Unlock()
}

// join returns all errors, and then last, or nil if there is none.
func (e *keyErrors) join(last error) error {
	if len(e.list) == 0 {
		return last
	}
	return errors.Join(append(e.list, last)...)
}
