package ranges

import (
	"math"
	"sync/atomic"
)

// A Span is a range of item numbers that one worker owns. The owner claims
// chunks from its front; a worker that has run out takes the back half of
// another one's (work stealing with lazy splitting). So most claims touch no line of
// another CPU, each worker walks through memory in order, and a fold changes
// accumulators only where something was taken.
//
// Front and end share a word: the front in the upper half. Of a range longer than
// spanMost a worker owns a part, which it counts from its Base (see Job.extend).
type Span atomic.Uint64

const spanMost = math.MaxUint32

func packed(lo, hi uint32) uint64 { return uint64(lo)<<32 | uint64(hi) }

func (s *Span) word() *atomic.Uint64 { return (*atomic.Uint64)(s) }

// Word returns front and end as one word, which differs when s does.
func (s *Span) Word() uint64 { return s.word().Load() }

// Set makes s the range from lo up to hi. Only its owner may do so, while it is empty.
func (s *Span) Set(lo, hi uint32) { s.word().Store(packed(lo, hi)) }

// Bounds returns what is left.
func (s *Span) Bounds() (lo, hi uint32) { w := s.word().Load(); return uint32(w >> 32), uint32(w) }

// Empty reports whether nothing is left.
func (s *Span) Empty() bool { lo, hi := s.Bounds(); return lo >= hi }

// Claim takes up to k from the front.
func (s *Span) Claim(k uint32) (lo, hi uint32, ok bool) {
	for {
		lo, end := s.Bounds()
		if lo >= end {
			return 0, 0, false
		}
		hi := lo + min(k, end-lo)
		if s.word().CompareAndSwap(packed(lo, end), packed(hi, end)) {
			return lo, hi, true
		}
	}
}

// Split takes the back half, or all of it.
func (s *Span) Split(all bool) (lo, hi uint32, ok bool) {
	for {
		front, end := s.Bounds()
		if front >= end {
			return 0, 0, false
		}
		mid := front + (end-front)/2
		if all {
			mid = front
		}
		if s.word().CompareAndSwap(packed(front, end), packed(front, mid)) {
			return mid, end, true
		}
	}
}

// unclaim puts back what its owner has claimed last, from lo on.
func (s *Span) unclaim(lo uint32) {
	for {
		front, end := s.Bounds() // only the owner moves the front
		if s.word().CompareAndSwap(packed(front, end), packed(lo, end)) {
			return
		}
	}
}
