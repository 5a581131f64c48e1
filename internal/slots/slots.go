package slots

import (
	"context"
	"sync"
	"sync/atomic"
)

// Slots counts how many slots are taken, and knows the limit and who waits for
// one. The zero value has no limit.
//
// The word holds
//
//	bit 63      queued   callers wait for a slot
//	bits 32-62  limit+1  0 if there is none
//	bits 0-31   taken
//
// While queued is clear, slots are taken and given back by one compare-and-swap.
// While it is set, only the holder of mu changes the word.
type Slots struct {
	word  atomic.Uint64
	empty atomic.Pointer[sync.WaitGroup] // released when nothing is taken; nil unless somebody is in Wait
	mu    sync.Mutex
	queue *waiter                // the one that has waited longest; the others follow in a ring
	spare atomic.Pointer[waiter] // to be used again
}

const (
	takenMask  = 1<<32 - 1
	limitShift = 32
	limitField = 1<<31 - 1
	queuedBit  = 1 << 63

	// highest stands for any greater limit: that many goroutines would fill 4 TiB.
	highest = limitField - 1
)

// taken returns how many slots are taken according to the word w.
func taken(w uint64) uint64 { return w & takenMask }

// hasRoom reports whether the limit allows one more.
func hasRoom(w uint64) bool {
	n := w >> limitShift & limitField
	return n == 0 || taken(w)+1 < n
}

// A waiter is a call of Take that waits for a slot.
type waiter struct {
	ctx        context.Context
	f          func() error // to be run by the goroutine that gives its slot back, or nil
	ready      chan struct{}
	served     bool // it has left the queue with a slot
	started    bool // and f runs already
	prev, next *waiter
}

// TryTake takes a slot if one is free and nobody waits, and reports whether it did.
func (s *Slots) TryTake() bool {
	for {
		w := s.word.Load()
		if w&queuedBit != 0 || !hasRoom(w) {
			return false
		}
		if s.word.CompareAndSwap(w, w+1) {
			return true
		}
	}
}

// Take takes a slot, waiting in first-come order until there is one or ctx is
// done; then it returns [context.Cause] of ctx. If f is not nil and ctx is not
// done, the goroutine that gives a slot back may start f meanwhile; the slot then
// belongs to f. A ctx that is done does not keep Take from taking a free slot.
func (s *Slots) Take(ctx context.Context, f func() error) (started bool, err error) {
	if s.TryTake() {
		return false, nil
	}
	c := s.spare.Swap(nil)
	if c == nil {
		c = &waiter{ready: make(chan struct{}, 1)}
	}
	c.ctx, c.f = ctx, f
	if !s.takeOrQueue(c) && !s.await(c) {
		return false, context.Cause(ctx)
	}
	started = c.started
	*c = waiter{ready: c.ready}
	s.spare.Store(c)
	return started, nil
}

// takeOrQueue takes a slot and returns true, or queues c.
func (s *Slots) takeOrQueue(c *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		w := s.word.Load()
		if hasRoom(w) { // so nobody waits: SetLimit has served all that fit
			if s.word.CompareAndSwap(w, w+1) {
				return true
			}
		} else if s.word.CompareAndSwap(w, w|queuedBit) {
			break
		}
	}
	if first := s.queue; first == nil {
		s.queue, c.prev, c.next = c, c, c
	} else {
		c.prev, c.next = first.prev, first
		c.prev.next, c.next.prev = c, c
	}
	return false
}

// await waits until c is served and returns true, or takes it out of the queue
// when its context is done.
func (s *Slots) await(c *waiter) bool {
	done := c.ctx.Done()
	if done == nil {
		<-c.ready
		return true
	}
	select {
	case <-c.ready:
		return true
	case <-done:
	}
	s.mu.Lock()
	if !c.served {
		s.remove(c)
		s.mu.Unlock()
		return false
	}
	s.mu.Unlock()
	<-c.ready
	return true
}

// remove takes c out of the queue. It holds mu.
func (s *Slots) remove(c *waiter) {
	c.prev.next, c.next.prev = c.next, c.prev
	if s.queue == c {
		s.queue = c.next
	}
	if s.queue == c { // the last one
		s.queue = nil
		s.word.And(^uint64(queuedBit))
	}
}

// Give gives a slot back or, if somebody waits, passes it on. If it returns a
// function, the slot now belongs to that function, and the caller must run it.
func (s *Slots) Give() (next func() error) {
	for {
		w := s.word.Load()
		if w&queuedBit != 0 {
			if next, ok := s.pass(); ok {
				return next
			}
		} else if s.word.CompareAndSwap(w, w-1) {
			s.left(w - 1)
			return nil
		}
	}
}

// pass is Give while somebody waits. It reports false if nobody does any more.
func (s *Slots) pass() (next func() error, ok bool) {
	s.mu.Lock()
	w := s.word.Load()
	if w&queuedBit == 0 {
		s.mu.Unlock()
		return nil, false
	}
	if !hasRoom(w - 1) { // the limit was lowered
		s.word.Store(w - 1)
		s.mu.Unlock()
		s.left(w - 1)
		return nil, true
	}
	c := s.queue
	s.remove(c)
	c.served = true
	s.mu.Unlock() // before waking, which takes longer than all the rest
	if c.f != nil && c.ctx.Err() == nil {
		next, c.started = c.f, true
	}
	c.ready <- struct{}{}
	return next, true
}

// SetLimit sets the limit, none if n < 0, and serves the waiters that now fit.
func (s *Slots) SetLimit(n int) {
	limit := uint64(0)
	if n >= 0 {
		limit = uint64(min(n, highest)) + 1
	}
	s.mu.Lock()
	for {
		w := s.word.Load()
		if s.word.CompareAndSwap(w, w&^(limitField<<limitShift)|limit<<limitShift) {
			break
		}
	}
	var served []*waiter
	for s.queue != nil && hasRoom(s.word.Load()) {
		c := s.queue
		s.word.Add(1)
		s.remove(c)
		c.served = true
		served = append(served, c)
	}
	s.mu.Unlock()
	for _, c := range served {
		c.ready <- struct{}{}
	}
}

// left releases those in Wait if the slot given back, after which the word was w,
// was the last one taken.
func (s *Slots) left(w uint64) {
	if taken(w) == 0 {
		if e := s.empty.Load(); e != nil {
			s.release(e)
		}
	}
}

func (s *Slots) release(e *sync.WaitGroup) {
	if s.empty.CompareAndSwap(e, nil) {
		e.Done()
	}
}

// Wait blocks until no slot is taken.
//
// No wake-up is lost: Wait publishes empty and then looks at the word again, and
// the last goroutine to leave looks at empty after it has changed the word, so
// that one of them sees the other. Each empty is used once, so that the slots can
// be used again while some callers of Wait have yet to wake up; if these then
// find slots taken, they wait again. It is a WaitGroup because that has 16 bytes;
// a channel has 96.
func (s *Slots) Wait() {
	for taken(s.word.Load()) > 0 {
		e := s.empty.Load()
		if e == nil {
			e = new(sync.WaitGroup)
			e.Add(1)
			if !s.empty.CompareAndSwap(nil, e) {
				continue
			}
			if taken(s.word.Load()) == 0 {
				s.release(e)
				break
			}
		}
		e.Wait()
	}
	// The channel of spare belongs to the synctest bubble that made it, and must
	// not get into another.
	if s.spare.Load() != nil {
		s.spare.Store(nil)
	}
}
