package ranges

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// A Job is the part of a job over the numbers from 0 to n that hands out chunks. The rest
// of the job embeds it.
type Job struct {
	call.Handle
	Widest int // chunk, if not call.ChunkMost

	n         int
	owned     int         // up to here a worker has been the owner; the call is locked
	fruitless atomic.Bool // a body has returned without taking an item, and none was taken since
	ended     atomic.Bool // the range of a body has ended before the body
}

// Do does the job j, of which s is a part, for the numbers from 0 to n.
func (s *Job) Do(ctx context.Context, j call.Job, n int) error {
	if n == 0 {
		err := context.Cause(ctx)
		if err == nil {
			s.Dismiss()
		}
		return err
	}
	s.n = n
	s.extend(&s.Caller)
	if err := s.Begin(ctx, j, n); err != nil {
		return err
	}
	return s.Run()
}

func span(w *call.Worker) *Span { return (*Span)(&w.Range) }

// extend makes w the owner of the next numbers that nobody has owned: of all, unless a
// span has no room for them. It reports false if there are none. The call is locked.
func (s *Job) extend(w *call.Worker) bool {
	k := min(uint(s.n-s.owned), spanMost)
	if k == 0 {
		return false
	}
	w.Base = s.owned
	s.owned += int(k)
	span(w).Set(0, uint32(k))
	return true
}

// Widest is the most that a chunk has for callbacks that take whole ranges, whose loop may
// take less than a nanosecond for each number.
const Widest = 1 << 20

// Left returns how many items a worker would find, but 0 where bodies return without
// taking any: a permit that comes free at once would call one body after the other.
func (s *Job) Left() int64 {
	if s.fruitless.Load() {
		return 0
	}
	return s.Unclaimed.Load()
}

// Owns reports whether w has claimed less than it owns.
func (s *Job) Owns(w *call.Worker) bool { return !span(w).Empty() }

// Again reports whether items are left although the range of a body has ended. They were
// given back after that; those that all bodies have left are not wanted.
func (s *Job) Again() bool { return s.ended.Swap(false) && s.Unclaimed.Load() > 0 }

// Progress falls with each chunk.
func (s *Job) Progress() int64 { return s.Unclaimed.Load() }

// Outlook returns how long the workers will take for what is left.
func (s *Job) Outlook(bool) time.Duration { return s.Estimate() }

// Next ends w's chunk and claims another one, from lo up to hi. It reports false
// if w must leave or nothing is left.
func (s *Job) Next(w *call.Worker) (lo, hi int, ok bool) {
	if s.Unclaimed.Load() == 0 && w.Sizer.Cost > 0 && s.Alone() {
		return 0, 0, false // the end of a short call needs no clock
	}
	if !w.Boundary() {
		return 0, 0, false
	}
	k := max(w.Sizer.Next(max(s.Widest, call.ChunkMost)), s.Config.MinChunk)
	for {
		a, b, ok := span(w).Claim(uint32(min(uint64(k), spanMost)))
		if ok {
			lo, hi = w.Base+int(a), w.Base+int(b)
			w.Items = hi - lo
			s.Unclaimed.Add(int64(-w.Items))
			return lo, hi, true
		}
		if !s.steal(w) {
			s.Exhausted()
			return 0, 0, false
		}
	}
}
