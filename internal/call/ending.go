package call

import (
	"context"
)

// An ending is a context that only its call can end: the context of a caller that
// cannot be cancelled needs no place in anybody's list.
type ending struct {
	context.Context
	done chan struct{}
	over bool // guarded by Call.mu
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	select {
	case <-e.done:
		return context.Canceled
	default:
		return nil
	}
}
