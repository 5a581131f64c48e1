package ranges

import "github.com/sweetspot-go/sweetspot/internal/call"

// A Body is one call of a function that takes its items by itself.
type Body struct {
	job  *Job
	w    *call.Worker
	turn uint32 // of the bodies of w
}

// Body begins a body of w. It reports false for a helper that comes after the end: the call
// would wait for what the body does before it ranges.
func (s *Job) Body(w *call.Worker) (b Body, ok bool) {
	ok = w.IsCaller || !s.Cancelled() && !s.Stopped()
	return Body{s, w, w.Bodies.Load()}, ok
}

// running reports whether b has not returned. A function may keep its range
// beyond that: w then holds no permit, or is in another body, and where the
// call has ended its Call may be another one's.
func (b Body) running() bool { return !b.job.Over() && b.w.Bodies.Load() == b.turn }

// Next is [Job.Next] for a body.
func (b Body) Next() (lo, hi int, ok bool) {
	if !b.running() {
		return 0, 0, false
	}
	s := b.job
	lo, hi, ok = s.Next(b.w)
	switch {
	case !ok:
		if !s.Alone() { // else nobody can give anything back
			s.ended.Store(true)
		}
	case s.fruitless.Load():
		s.fruitless.Store(false)
	}
	return lo, hi, ok
}

// End is called when b has returned. One that took nothing is followed by no other until
// an item was taken.
func (b Body) End() {
	w := b.w
	w.Bodies.Add(1)
	if !w.IsCaller && w.Done == 0 && w.Items == 0 {
		b.job.fruitless.Store(true)
	}
}

// GiveBack returns the items from lo up to hi, the end of the chunk of b, undone.
func (b Body) GiveBack(lo, hi int) {
	if !b.running() {
		return
	}
	s, w := b.job, b.w
	w.Items -= hi - lo
	if lo >= hi {
		return
	}
	s.Unclaimed.Add(int64(hi - lo))
	span(w).unclaim(uint32(lo - w.Base))
}
