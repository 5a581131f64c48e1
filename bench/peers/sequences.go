package main

import (
	"context"
	"iter"
	"runtime/debug"
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

// overResults ranges over the sequence of results that an adaptor makes of one of
// items. Its loop does without: it calls the function itself.
func overResults(adapt func(context.Context, iter.Seq[int]) iter.Seq2[int, error]) func(context.Context, []int) task {
	return func(ctx context.Context, items []int) task {
		seq := slices.Values(items)
		return task{
			run: func() error {
				for _, err := range adapt(ctx, seq) {
					if err != nil {
						return err
					}
				}
				return nil
			},
			loop: func() error {
				for v := range seq {
					if _, err := theWork(ctx, v); err != nil {
						return err
					}
				}
				return nil
			},
		}
	}
}

// resultsOf is the least that a sequence of results can be: one call more for each
// value, that of the loop's body.
func resultsOf(ctx context.Context, seq iter.Seq[int]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for v := range seq {
			if r, err := theWork(ctx, v); !yield(r, err) {
				return
			}
		}
	}
}

// promising is resultsOf that promises what MapSeq does of contexts, errors and panics,
// and does everything itself.
func promising(ctx context.Context, seq iter.Seq[int]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer func() {
			cancel()
			if value := recover(); value != nil {
				panic(&sweetspot.PanicError{Value: value, Stack: debug.Stack()})
			}
		}()
		i := 0
		for v := range seq {
			r, err := theWork(ctx, v)
			if err != nil {
				yield(0, &sweetspot.ItemError{Index: i, Err: err})
				return
			}
			if !yield(r, nil) {
				return
			}
			if i++; i%64 == 0 && ctx.Err() != nil {
				yield(0, context.Cause(ctx))
				return
			}
		}
	}
}

// coroutine is resultsOf in a coroutine of its own, what pulling values would cost at
// least.
func coroutine(ctx context.Context, seq iter.Seq[int]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		next, stop := iter.Pull(func(func(struct{}) bool) { resultsOf(ctx, seq)(yield) })
		defer stop()
		next()
	}
}
