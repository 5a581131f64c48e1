package main

import (
	"context"

	"github.com/sweetspot-go/sweetspot"
)

// A filter collects numbers out of a range in two passes: count says how many of them lie
// from lo up to hi, and fill puts them into a slice of that length.
type filter struct {
	count func(lo, hi int) int
	fill  func(found []int, lo, hi int)
}

// A block is a part of the range of a filter.
type block struct{ lo, hi, found int }

// serial filters the numbers from lo up to hi, as the others do.
func (f filter) serial(lo, hi int) []int {
	all := make([]int, f.count(lo, hi))
	f.fill(all, lo, hi)
	return all
}

// byHand filters in blocks as large as the grain. Theirs adds up the blocks in parallel if
// they are more than a grain, which none of our sizes has.
func (f filter) byHand(lo, hi int) []int {
	blocks := make([]block, (hi-lo+grain-1)/grain)
	split(1, 0, len(blocks), func(first, end int) {
		for i := first; i < end; i++ {
			b := block{lo: lo + i*grain, hi: min(lo+(i+1)*grain, hi)}
			b.found = f.count(b.lo, b.hi)
			blocks[i] = b
		}
	})
	all := place(blocks)
	split(1, 0, len(blocks), func(first, end int) {
		for _, b := range blocks[first:end] {
			f.fill(all[b.found:], b.lo, b.hi)
		}
	})
	return all
}

// ours filters in the blocks that the call chose while it counted.
func (f filter) ours(lo, hi int) []int {
	blocks, err := sweetspot.ReduceRange(context.Background(), hi-lo,
		func() []block { return nil },
		func(_ context.Context, blocks []block, from, to int) ([]block, error) {
			b := block{lo: lo + from, hi: lo + to}
			b.found = f.count(b.lo, b.hi)
			return append(blocks, b), nil
		},
		func(a, b []block) []block { return append(a, b...) })
	must(err)
	all := place(blocks)
	err = sweetspot.ForEach(context.Background(), blocks, func(_ context.Context, b block) error {
		f.fill(all[b.found:], b.lo, b.hi)
		return nil
	})
	must(err)
	return all
}

// place replaces what was found in each block by where that begins, and returns a slice
// with room for all.
func place(blocks []block) []int {
	total := 0
	for i, b := range blocks {
		blocks[i].found = total
		total += b.found
	}
	return make([]int, total)
}
