package forkjoin_test

import (
	"github.com/sweetspot-go/sweetspot/internal/forkjoin"
)

// A joiner is the outer object of the tests.
type joiner struct {
	forkjoin.Joiner
	promotable int // Joins that were not plain
}

func newJoiner(n int) *joiner { return outer(n, nil) }

func newJoinerUnder(p forkjoin.Permits) *joiner { return outer(1, p) }

func outer(n int, p forkjoin.Permits) *joiner {
	child := func(inner forkjoin.Joiner) (any, *forkjoin.Joiner) {
		j := &joiner{Joiner: inner}
		return j, &j.Joiner
	}
	return &joiner{Joiner: forkjoin.New(n, p, child, func(value any, stack []byte) any {
		if e, ok := value.(*panicError); ok {
			return e
		}
		return &panicError{value, stack}
	})}
}

func join[X, R any](j *joiner, f func(*joiner, X) R, a, b X) (ra, rb R) {
	if j.Plain() {
		return f(j, a), f(j, b)
	}
	j.promotable++
	return forkjoin.Join(&j.Joiner, j, f, a, b)
}

func joinSerial[X, R any](j *joiner, f func(*joiner, X) R, serial func(X) R, a, b X) (ra, rb R) {
	return forkjoin.JoinSerial(&j.Joiner, j, f, serial, a, b)
}

func (j *joiner) Do(a, b func(*joiner)) {
	j.About(a)
	join(j, func(j *joiner, f func(*joiner)) struct{} { f(j); return struct{}{} }, a, b)
}

// Busy takes all permits of j, so that nothing moves.
func (j *joiner) Busy() *joiner {
	j.Exhaust()
	return j
}

// A panicError is what panics of other goroutines are wrapped in.
type panicError struct {
	Value any
	Stack []byte
}

// A semaphore gives permits.
type semaphore chan struct{}

func permits(n int) semaphore { return make(semaphore, n) }

func (s semaphore) TryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s semaphore) Release() { <-s }
