package main

import (
	"context"
	"iter"

	"github.com/sweetspot-go/sweetspot"
)

// loop calls body for ranges that together are 0 to n-1, as a form does it: all at once, by
// hand down to a grain, or as the call chooses.
func loop(ctx context.Context, form, grain, n int, body func(lo, hi int)) {
	switch form {
	case serial:
		body(0, n)
	case byHand:
		split(grain, 0, n, body)
	case ours:
		must(sweetspot.WorkersRange(ctx, n, func(_ context.Context, chunks iter.Seq2[int, int]) error {
			for lo, hi := range chunks {
				body(lo, hi)
			}
			return nil
		}))
	}
}

// each calls f for each item, as a form does it. By hand the grain is one item.
func each[T any](form int, items []T, f func(ctx context.Context, item T)) {
	ctx := context.Background()
	if form == ours {
		must(sweetspot.ForEach(ctx, items, func(ctx context.Context, item T) error {
			f(ctx, item)
			return nil
		}))
		return
	}
	loop(ctx, form, 1, len(items), func(lo, hi int) {
		for _, item := range items[lo:hi] {
			f(ctx, item)
		}
	})
}

// reduce adds ranges that together are 0 to n-1 to nothing, and merges what came of them, as
// a form does it.
func reduce[A any](form, n int, add func(acc A, lo, hi int) A, merge func(a, b A) A) A {
	var nothing A
	switch form {
	case serial:
		return add(nothing, 0, n)
	case byHand:
		return splitReduce(grain, 0, n, func(lo, hi int) A { return add(nothing, lo, hi) }, merge)
	}
	all, err := sweetspot.ReduceRange(context.Background(), n,
		func() A { return nothing },
		func(_ context.Context, acc A, lo, hi int) (A, error) { return add(acc, lo, hi), nil },
		merge)
	must(err)
	return all
}
