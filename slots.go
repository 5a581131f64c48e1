package sweetspot

import (
	"context"
	"sync"
	"sync/atomic"
)

// slots are the places of a [Group]: how many are taken, how many there may be,
// and who waits for one. The zero value has no limit.
//
// The word holds
//
//	bit 63      queued   callers wait for a slot
//	bits 32-62  limit+1  0 if there is none
//	bits 0-31   taken
//
// As long as queued is clear, slots are taken and given back by one
// compare-and-swap. While it is set, only the holder of mu changes the word.
type slots struct {
	word  atomic.Uint64
	gate  atomic.Pointer[sync.WaitGroup] // of those in wait, or nil
	mu    sync.Mutex
	queue *caller                // who waits longest; the others follow in a ring
	spare atomic.Pointer[caller] // to be used again
}

const (
	takenMask  = 1<<32 - 1
	limitShift = 32
	limitField = 1<<31 - 1
	queuedBit  = 1 << 63

	// slotsMost stands for any greater limit: as many goroutines would fill
	// 4 TiB.
	slotsMost = limitField - 1
)

// taken returns how many slots are taken according to the word w.
func taken(w uint64) uint64 { return w & takenMask }

// hasRoom reports whether the limit allows one more.
func hasRoom(w uint64) bool {
	n := w >> limitShift & limitField
	return n == 0 || taken(w)+1 < n
}

// A caller waits for a slot.
type caller struct {
	ctx        context.Context
	f          func() error // which whoever gives a slot back may run at once, or nil
	ready      chan struct{}
	served     bool // it has left the queue with a slot
	started    bool // and f runs already
	prev, next *caller
}

// tryTake takes a slot if one is free and nobody waits.
func (s *slots) tryTake() bool {
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

// take takes a slot, waiting in first-come order until there is one or ctx is
// done. If f is not nil, it may be started meanwhile by whoever gives a slot
// back, if ctx is not done; then the slot is f's.
func (s *slots) take(ctx context.Context, f func() error) (started bool, err error) {
	if s.tryTake() {
		return false, nil
	}
	c := s.spare.Swap(nil)
	if c == nil {
		c = &caller{ready: make(chan struct{}, 1)}
	}
	c.ctx, c.f = ctx, f
	if !s.takeOrQueue(c) && !s.await(c) {
		return false, context.Cause(ctx)
	}
	started = c.started
	*c = caller{ready: c.ready}
	s.spare.Store(c)
	return started, nil
}

// takeOrQueue takes a slot and returns true, or queues c.
func (s *slots) takeOrQueue(c *caller) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		w := s.word.Load()
		if hasRoom(w) { // so nobody waits: setLimit has served all that fit
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
func (s *slots) await(c *caller) bool {
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
func (s *slots) remove(c *caller) {
	c.prev.next, c.next.prev = c.next, c.prev
	if s.queue == c {
		s.queue = c.next
	}
	if s.queue == c { // the last one
		s.queue = nil
		s.word.And(^uint64(queuedBit))
	}
}

// give gives a slot back or, if somebody waits, passes it on. If it returns a
// function, the slot is now that function's, and the caller must run it.
func (s *slots) give() (next func() error) {
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

// pass is give while somebody waits. It reports false if nobody does any more.
func (s *slots) pass() (next func() error, ok bool) {
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

// setLimit sets the limit, none if n < 0, and serves those who now fit.
func (s *slots) setLimit(n int) {
	limit := uint64(0)
	if n >= 0 {
		limit = uint64(min(n, slotsMost)) + 1
	}
	s.mu.Lock()
	for {
		w := s.word.Load()
		if s.word.CompareAndSwap(w, w&^(limitField<<limitShift)|limit<<limitShift) {
			break
		}
	}
	var served []*caller
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

// left opens the gate if the slot given back, after which the word was w, was
// the last one taken.
func (s *slots) left(w uint64) {
	if taken(w) == 0 {
		if gate := s.gate.Load(); gate != nil {
			s.open(gate)
		}
	}
}

// open lets go those who wait at gate.
func (s *slots) open(gate *sync.WaitGroup) {
	if s.gate.CompareAndSwap(gate, nil) {
		gate.Done()
	}
}

// wait blocks until no slot is taken.
//
// Those who wait put up a gate and then look again, and the last to leave looks
// for a gate after it has left: one of them sees the other. A gate is used once,
// so that a Group can be used again while some have yet to wake up; if they then
// find slots taken, they wait again. It is a WaitGroup for its size, 16 bytes
// where a channel has 96.
func (s *slots) wait() {
	for taken(s.word.Load()) > 0 {
		gate := s.gate.Load()
		if gate == nil {
			gate = new(sync.WaitGroup)
			gate.Add(1)
			if !s.gate.CompareAndSwap(nil, gate) {
				continue
			}
			if taken(s.word.Load()) == 0 {
				s.open(gate)
				break
			}
		}
		gate.Wait()
	}
	// Its channel belongs to the synctest bubble that made it, and must not
	// get into another.
	if s.spare.Load() != nil {
		s.spare.Store(nil)
	}
}
