package main

import "context"

// A filter collects numbers out of a range in two passes: count says how many of them lie
// from lo up to hi, and fill puts them into a slice of that length.
type filter struct {
	count func(lo, hi int) int
	fill  func(found []int, lo, hi int)
}

// A block is a part of the range of a filter.
type block struct{ lo, hi, found int }

// in filters the numbers from lo up to hi, as a form does it: at once, in blocks as large as
// the grain, or in those that the call chose while it counted. Theirs adds up the blocks in
// parallel if they are more than a grain, which none of our sizes has.
func (f filter) in(form, lo, hi int) []int {
	count := func(lo, hi int) block { return block{lo, hi, f.count(lo, hi)} }
	var blocks []block
	if form == byHand {
		blocks = make([]block, (hi-lo+grain-1)/grain)
		split(1, 0, len(blocks), func(first, end int) {
			for i := first; i < end; i++ {
				blocks[i] = count(lo+i*grain, min(lo+(i+1)*grain, hi))
			}
		})
	} else {
		blocks = reduce(form, hi-lo,
			func(blocks []block, from, to int) []block { return append(blocks, count(lo+from, lo+to)) },
			func(a, b []block) []block { return append(a, b...) })
	}
	all := place(blocks)
	each(form, blocks, func(_ context.Context, b block) { f.fill(all[b.found:], b.lo, b.hi) })
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
