package main

import (
	"context"
	"iter"
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

// ours are the calls of sweetspot that can put results in order. n is left to
// them. Those that give a sum instead return it alone.
var ours = []mapper{
	{"Map", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		return sweetspot.Map(ctx, items, f)
	}},
	{"Workers", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		results := make([]int, len(items))
		err := sweetspot.Workers(ctx, items, func(ctx context.Context, mine iter.Seq2[int, int]) error {
			for i, v := range mine {
				r, err := f(ctx, v)
				if err != nil {
					return err
				}
				results[i] = r
			}
			return nil
		})
		return results, err
	}},
	{"WorkersRange", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		results := make([]int, len(items))
		err := sweetspot.WorkersRange(ctx, len(items), func(ctx context.Context, mine iter.Seq2[int, int]) error {
			for lo, hi := range mine {
				if err := into(ctx, results[lo:hi], items[lo:hi], f); err != nil {
					return err
				}
			}
			return nil
		})
		return results, err
	}},
	{"MapSeq", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		results := make([]int, 0, len(items))
		for r, err := range sweetspot.MapSeq(ctx, slices.Values(items), f) {
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
		return results, nil
	}},
	{"Reduce", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		sum, err := sweetspot.Reduce(ctx, items, zero, folding(f), plus)
		return []int{sum}, err
	}},
}

func zero() int         { return 0 }
func plus(a, b int) int { return a + b }

// folding returns the fold that adds what f returns.
func folding(f work) func(context.Context, int, int) (int, error) {
	return func(ctx context.Context, acc, v int) (int, error) {
		r, err := f(ctx, v)
		return acc + r, err
	}
}

func names(ms ...[]mapper) []string {
	return collect(slices.Concat(ms...), func(m mapper) string { return m.name })
}
