package sweetspot

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// A span is a range of item numbers that one worker owns. The owner claims
// chunks from its front; a worker that has run out takes the back half of
// somebody else's. So most claims touch no line of another CPU, each worker
// walks through memory in order, and a fold changes accumulators only where
// something was taken. The idea is that of lazy range splitting in work-stealing
// schedulers.
//
// Front and end share a word: the front in the upper half. A range longer than
// spanMost is counted in blocks (see scale).
type span struct{ word atomic.Uint64 }

const spanMost = math.MaxUint32

func packed(lo, hi uint32) uint64 { return uint64(lo)<<32 | uint64(hi) }

func (s *span) set(lo, hi uint32)       { s.word.Store(packed(lo, hi)) }
func (s *span) bounds() (lo, hi uint32) { w := s.word.Load(); return uint32(w >> 32), uint32(w) }
func (s *span) empty() bool             { lo, hi := s.bounds(); return lo >= hi }

// claim takes up to k from the front.
func (s *span) claim(k uint32) (lo, hi uint32, ok bool) {
	for {
		lo, end := s.bounds()
		if lo >= end {
			return 0, 0, false
		}
		hi := lo + min(k, end-lo)
		if s.word.CompareAndSwap(packed(lo, end), packed(hi, end)) {
			return lo, hi, true
		}
	}
}

// split takes the back half, or all if the owner has left.
func (s *span) split(all bool) (lo, hi uint32, ok bool) {
	for {
		front, end := s.bounds()
		if front >= end {
			return 0, 0, false
		}
		mid := front + (end-front)/2
		if all {
			mid = front
		}
		if s.word.CompareAndSwap(packed(front, end), packed(front, mid)) {
			return mid, end, true
		}
	}
}

// spans is a job over the numbers from 0 to n.
type spans struct {
	hold
	n      int
	scale  int      // numbers in each position of a span; 1 up to spanMost numbers
	widest int      // chunk, if not chunkMost
	scraps [][2]int // given back; guarded by mu
}

// do does the job j for the numbers from 0 to n.
func (s *spans) do(ctx context.Context, j job, n int) error {
	if n == 0 {
		err := context.Cause(ctx)
		if err == nil {
			s.dismissed()
		}
		return err
	}
	s.n, s.scale = n, 1
	if uint64(n) > spanMost {
		s.scale = int(uint64(n)/spanMost) + 1
	}
	s.lead.span.set(0, uint32((n+s.scale-1)/s.scale))
	if err := s.begin(ctx, j, n); err != nil {
		return err
	}
	return s.run()
}

// next ends w's chunk and claims another one, from lo up to hi. It reports false
// if w must leave or nothing is left.
func (s *spans) next(w *worker) (lo, hi int, ok bool) {
	if s.unclaimed.Load() == 0 && w.pace.cost > 0 && s.alone() {
		return 0, 0, false // the end of a short call needs no clock
	}
	if !w.edge() {
		return 0, 0, false
	}
	k := max(w.pace.next(max(s.widest, chunkMost)), s.set.grain)
	if s.scale > 1 {
		k = (k + s.scale - 1) / s.scale
	}
	for {
		a, b, ok := w.span.claim(uint32(min(uint64(k), spanMost)))
		if ok {
			lo, hi = int(a)*s.scale, min(int(b)*s.scale, s.n)
			w.n = hi - lo
			s.unclaimed.Add(int64(-w.n))
			return lo, hi, true
		}
		if s.steal(w) {
			continue
		}
		if lo, hi, ok := s.scrap(); ok {
			w.n = hi - lo
			s.unclaimed.Add(int64(-w.n))
			return lo, hi, true
		}
		s.exhausted()
		return 0, 0, false
	}
}

// during reports whether w is still in the body of that turn. A body may keep its range
// when it has returned: w then holds no permit, or is in another body, and where the
// call has ended its crew may be another call's.
func (s *spans) during(w *worker, turn uint32) bool {
	return s.crew != nil && w.turns.Load() == turn
}

// nextOf is next for the range of a body.
func (s *spans) nextOf(w *worker, turn uint32) (lo, hi int, ok bool) {
	if !s.during(w, turn) {
		return 0, 0, false
	}
	if lo, hi, ok = s.next(w); ok && s.vain.Load() {
		s.vain.Store(false)
	}
	return lo, hi, ok
}

// over is called when a body of w has returned. Who took nothing is followed by nobody
// until somebody else has taken something: a permit that comes free at once would call
// one body after the other.
func (s *spans) over(w *worker) {
	w.turns.Add(1)
	if !w.leads && w.done == 0 && w.n == 0 {
		s.vain.Store(true)
	}
}

// giveBack returns the items from lo up to hi, the end of w's chunk, undone.
func (s *spans) giveBack(w *worker, turn uint32, lo, hi int) {
	if !s.during(w, turn) {
		return
	}
	w.n -= hi - lo
	if lo >= hi {
		return
	}
	s.unclaimed.Add(int64(hi - lo))
	if s.scale > 1 { // lo may lie inside a position
		s.mu.Lock()
		s.scraps = append(s.scraps, [2]int{lo, hi})
		s.mu.Unlock()
		return
	}
	// Only the owner moves the front, and it stands at hi.
	for {
		front, end := w.span.bounds()
		if w.span.word.CompareAndSwap(packed(front, end), packed(uint32(lo), end)) {
			return
		}
	}
}

func (s *spans) scrap() (lo, hi int, ok bool) {
	if s.scale == 1 {
		return 0, 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.scraps)
	if n == 0 {
		return 0, 0, false
	}
	last := s.scraps[n-1]
	s.scraps = s.scraps[:n-1]
	return last[0], last[1], true
}

// probes is how many workers a thief looks at before it looks at all: it takes
// from the richest of them. With thousands of workers looking at all of them
// each time would be the bottleneck.
const probes = 8

// steal makes w the owner of half of what somebody else owns.
func (s *spans) steal(w *worker) bool {
	if s.unclaimed.Load() <= 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.workers)
	if n > 2*probes {
		from := rand.IntN(n)
		if s.stealFrom(w, from, min(from+probes, n)) {
			return true
		}
	}
	return s.stealFrom(w, 0, n)
}

// stealFrom takes from the richest of the workers numbered from i up to j.
func (s *spans) stealFrom(w *worker, i, j int) bool {
	var victim *worker
	most := uint32(0)
	for _, v := range s.workers[i:j] {
		if lo, hi := v.span.bounds(); lo < hi && hi-lo > most {
			victim, most = v, hi-lo
		}
	}
	if victim == nil {
		return false
	}
	lo, hi, ok := victim.span.split(victim.gone)
	if ok {
		w.span.set(lo, hi)
	}
	return ok
}
