package sweetspot

import (
	"context"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// Map returns f of each element of s, in order.
//
// If f returns an error, Map hands out no more elements, cancels the ctx of the running
// calls, waits for them, and returns nil and the first error in time, as an
// [*ItemError]. With [AllErrors] it goes on, and returns all errors and a slice of full
// length, with zero values where f failed. If ctx is done while there are elements left,
// or f then returns ctx.Err(), the error is [context.Cause] of ctx; with AllErrors it
// comes after the others. If ctx is done from the beginning, f is never called. If f
// panics, Map panics with a [*PanicError] once the running calls have ended; if f calls
// [runtime.Goexit], so does Map. Nothing runs after Map has returned.
//
// The calling goroutine works itself. Others start when measurements say that they pay.
// A Map of little work is a plain loop. One that computes uses GOMAXPROCS goroutines.
// One that waits uses as many as its law finds (see the package documentation). A
// [Fixed] number or a [*Limiter] bounds them. When a limit falls, surplus goroutines
// leave after the elements that they have claimed; when it rises, more join.
//
// The order of the calls is undefined. s must not change meanwhile.
//
// A short Map allocates the result and one object, a longer one a few more and about one for
// each goroutine, but none for an element. It takes less than 1 µs more than a plain loop.
func Map[T, R any](ctx context.Context, s []T, f func(ctx context.Context, v T) (R, error), opts ...MapOption) ([]R, error) {
	must(f != nil, "sweetspot: Map: the function is nil")
	set := settingsOf("Map", opts)
	m := &mapping[T, R]{s: s, f: f, out: make([]R, len(s)), errs: itemErrors{all: set.allErrors}}
	m.Engage(reflect.ValueOf(f).Pointer(), &set.Config)
	if set.Weighed {
		m.f = mapWeighed(weightOf[T]("Map", set.weight), f)
	}
	if err := m.Do(ctx, m, len(s)); err != nil {
		if set.allErrors {
			return m.out, m.errs.join(err)
		}
		return nil, err
	}
	return m.out, m.errs.join(nil)
}

type mapping[T, R any] struct {
	ranges.Job
	s    []T
	f    func(context.Context, T) (R, error)
	out  []R
	errs itemErrors
}

func (m *mapping[T, R]) Work(w *call.Worker) error {
	f, ctx := m.f, m.Context()
	for {
		lo, hi, ok := m.Next(w)
		if !ok {
			return nil
		}
		in := m.s[lo:hi]
		out := m.out[lo:hi][:len(in)]
		for i, v := range in {
			r, err := f(ctx, v)
			if err != nil {
				if err := m.errs.take(w, lo+i, err); err != nil {
					return err
				}
				continue
			}
			out[i] = r
		}
	}
}

// ForEach calls f once with each element of s.
//
// It is [Map] without results, with the same rules for order, errors, cancelling,
// panics, limits and cost.
func ForEach[T any](ctx context.Context, s []T, f func(ctx context.Context, v T) error, opts ...MapOption) error {
	must(f != nil, "sweetspot: ForEach: the function is nil")
	set := settingsOf("ForEach", opts)
	e := &visiting[T]{s: s, f: f, errs: itemErrors{all: set.allErrors}}
	e.Engage(reflect.ValueOf(f).Pointer(), &set.Config)
	if set.Weighed {
		e.f = visitWeighed(weightOf[T]("ForEach", set.weight), f)
	}
	return e.errs.join(e.Do(ctx, e, len(s)))
}

type visiting[T any] struct {
	ranges.Job
	s    []T
	f    func(context.Context, T) error
	errs itemErrors
}

func (e *visiting[T]) Work(w *call.Worker) error {
	f, ctx := e.f, e.Context()
	for {
		lo, hi, ok := e.Next(w)
		if !ok {
			return nil
		}
		for lo < hi {
			n, err := visitAll(ctx, f, e.s[lo:hi])
			if err == nil {
				break
			}
			lo += n
			if err := e.errs.take(w, lo, err); err != nil {
				return err
			}
			lo++
		}
	}
}

// visitAll calls f with the elements of s up to the first error, whose number it
// returns. It is the plain loop, in a function of its own so that the compiler
// keeps nothing else in the loop's registers.
func visitAll[T any](ctx context.Context, f func(context.Context, T) error, s []T) (int, error) {
	for i, v := range s {
		if err := f(ctx, v); err != nil {
			return i, err
		}
	}
	return len(s), nil
}
