package limit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// line is the distance kept between fields that must not share a cache line: two of 64
// bytes, because amd64 fetches lines in pairs, and arm64 and ppc64 have lines of 128.
const line = 128

// A Semaphore hands out at most Limit permits at a time, first come, first served. Its
// limit can be changed at any time.
//
// Make a Semaphore with [New], and do not copy it. Any number of goroutines may use it.
// It starts no goroutine and needs no Close: just drop it when you no longer need it.
type Semaphore struct {
	// ceiling is read by every Release and written by SetLimit only, so it
	// keeps away from word, which every Acquire and Release writes.
	ceiling atomic.Uint64
	_       [line - 8]byte

	word atomic.Uint64
	_    [line - 8]byte

	// The rest is the slow path's. Nobody waits for a permit with mu held.
	mu     sync.Mutex
	queue  queue
	folded int64         // completed units that the word no longer counts
	queued int64         // calls that had to wait
	bound  time.Duration // time with somebody waiting, up to the last end of it
	since  time.Time     // when the queue last became non-empty

	spare atomic.Pointer[waiter] // a place that nobody waits in any more, or nil
}

// New returns a Semaphore with n permits. It panics unless n is between 1 and
// [MaxLimit].
func New(n int) *Semaphore {
	check("New", n)
	s := new(Semaphore)
	c := newCeiling(n, 0)
	s.ceiling.Store(c)
	s.word.Store(c)
	return s
}

// Acquire takes a permit, waiting for one as long as necessary. Permits go to callers
// in the order of their arrival. Neither a later Acquire nor [Semaphore.TryAcquire]
// overtakes a waiter.
//
// Acquire returns nil when the caller holds a permit and must give it back with one
// call of [Semaphore.Release] or [Semaphore.Cancel]. When ctx is done it returns
// [context.Cause] of ctx, and the caller holds no permit. If ctx is done at the call,
// this is so even if a permit is free. If ctx becomes done during the wait, but a
// permit was granted first, the caller keeps it and Acquire returns nil. Either way no
// permit is lost.
//
// Raising the limit wakes callers in Acquire; lowering it does not send them away.
// Acquire costs one atomic operation and no allocation if a permit is free and no
// caller waits; otherwise a mutex and two switches of goroutines, and two allocations
// unless others wait already.
func (s *Semaphore) Acquire(ctx context.Context) error { return s.AcquireIn(ctx, nil) }

// AcquireIn is [Semaphore.Acquire] with a reusable place to wait: it allocates at the
// first wait in w only. If w is nil, it is Acquire.
func (s *Semaphore) AcquireIn(ctx context.Context, w *Waiter) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.TryAcquire() {
		return nil
	}
	s.mustBeMade()
	return s.wait(ctx, w.use())
}

// TryAcquire takes a permit if one is free and no caller waits for it, and reports
// whether it did. It never blocks, and never allocates.
func (s *Semaphore) TryAcquire() bool {
	for {
		w := s.word.Load()
		if w&waitersBit != 0 || available(w) <= 0 {
			return false
		}
		if s.word.CompareAndSwap(w, w-1) {
			return true
		}
	}
}

// wait takes a permit if one has become free, and queues for one otherwise: in the place
// that was lent, which can be used again when wait returns, or else in one of its own.
func (s *Semaphore) wait(ctx context.Context, lent *waiter) error {
	w := lent
	if w == nil {
		w = s.place() // before the lock: making it takes longer than queueing it
	}
	s.mu.Lock()
	if s.takeOrFlag() {
		s.mu.Unlock()
		return nil
	}
	s.queue.push(w)
	s.queued++
	s.mu.Unlock()

	done := ctx.Done()
	if done == nil {
		<-w.ready
		return nil
	}
	select {
	case <-w.ready:
		return nil
	case <-done:
	}

	s.mu.Lock()
	if w.granted {
		s.mu.Unlock()
		<-w.ready // or it would end the next wait in w; the granter is about to send
		return nil
	}
	s.queue.remove(w)
	s.noteEmpty()
	s.mu.Unlock()
	return context.Cause(ctx)
}

// place returns a place to wait: the last one that was left, if others wait. They have
// thrown away what was left before they came (see takeOrFlag), because a channel
// belongs to the synctest bubble that made it, and must not come into another.
func (s *Semaphore) place() *waiter {
	if s.word.Load()&waitersBit != 0 {
		if w := s.spare.Swap(nil); w != nil {
			return w
		}
	}
	return newWaiter()
}

// takeOrFlag takes a permit and returns true, or makes the word say that
// somebody waits, so that from now on every Release comes to look. It holds mu.
func (s *Semaphore) takeOrFlag() bool {
	if s.queue.len > 0 {
		return false // behind those who wait already
	}
	s.spare.Store(nil)
	for {
		w := s.word.Load()
		if available(w) > 0 {
			if s.word.CompareAndSwap(w, w-1) {
				return true
			}
		} else if s.word.CompareAndSwap(w, w|waitersBit) {
			s.since = time.Now()
			return false
		}
	}
}

// noteEmpty opens the fast paths again if nobody waits any more. It holds mu,
// and is called when the queue had a waiter.
func (s *Semaphore) noteEmpty() {
	if s.queue.len > 0 {
		return
	}
	s.word.And(^uint64(waitersBit))
	s.bound += time.Since(s.since)
}

// Release gives a permit back and counts its unit of work as completed. If callers
// wait, the permit goes to the one that has waited longest, unless the limit was
// lowered below the number of permits still out.
//
// Release panics if no permit is out, and leaves the state as it was. Until then one
// permit too many may be granted, and one unit too many counted. Release can only count
// permits: while other goroutines hold permits, one Release too many goes unnoticed at
// first, and gives back one of theirs.
//
// Release costs one atomic operation and no allocation if no caller waits.
func (s *Semaphore) Release() {
	c := s.ceiling.Load()
	if w := s.word.Add(finished); c-w&attention > MaxLimit {
		s.settle()
	}
}

// settle does what a Release found to be due: it takes a mistaken release back
// and panics, folds the count, hands permits over. The ceiling cannot change
// here, so what looked like a mistake may turn out to have been none.
func (s *Semaphore) settle() {
	s.mustBeMade()
	s.mu.Lock()
	mistake := false
	for !mistake {
		w := s.word.Load()
		if s.inFlight(w) >= 0 {
			break
		}
		// A plain subtraction could take a permit that somebody acquired
		// in the meantime, and thus admit one too many.
		if mistake = s.word.CompareAndSwap(w, w-1); mistake {
			s.folded-- // the completed unit, which may be folded already
		}
	}
	s.fold()
	granted := s.grant()
	s.mu.Unlock()
	s.wake(granted)
	if mistake {
		panic("limit: Release without Acquire")
	}
}

// fold moves completed units out of the word if its field for them is full. It
// holds mu.
func (s *Semaphore) fold() {
	if s.word.Load()&fullBit != 0 {
		s.word.And(^uint64(fullBit))
		s.folded += foldUnit
	}
}

// Cancel gives a permit back as [Semaphore.Release] does, but does not count a
// completed unit. It is for work that did not happen, or that says nothing about the
// capacity, such as a request refused as malformed or a call that the other side
// rejected.
//
// Cancel panics if no permit is out, and leaves the state as it was.
func (s *Semaphore) Cancel() {
	for {
		c, w := s.ceiling.Load(), s.word.Load()
		if n := c - w&attention; n == 0 || n > MaxLimit {
			s.cancelSlow()
			return
		}
		if s.word.CompareAndSwap(w, w+1) {
			return
		}
	}
}

// cancelSlow is Cancel where something has to be looked into.
func (s *Semaphore) cancelSlow() {
	s.mustBeMade()
	s.mu.Lock()
	for {
		w := s.word.Load()
		if s.inFlight(w) <= 0 {
			s.mu.Unlock()
			panic("limit: Cancel without Acquire")
		}
		if s.word.CompareAndSwap(w, w+1) {
			break
		}
	}
	granted := s.grant()
	s.mu.Unlock()
	s.wake(granted)
}

// grant gives the free permits to those who wait, in order, and returns the
// receivers, whom the caller wakes once it has unlocked mu. A permit is taken out
// of the word before its new holder wakes, so it is never free in between and
// cannot be taken by a latecomer. It holds mu.
func (s *Semaphore) grant() (granted chain) {
	if s.queue.len == 0 {
		return granted
	}
	for s.queue.len > 0 {
		w := s.word.Load()
		if available(w) <= 0 {
			return granted
		}
		if s.word.CompareAndSwap(w, w-1) {
			s.queue.grantFirst(&granted)
		}
	}
	s.noteEmpty()
	return granted
}

// wake wakes the waiters of c in their order. A place whose word has been taken is done
// with, and the next caller can wait there.
func (s *Semaphore) wake(c chain) {
	for w := c.head; w != nil; {
		next, ready, lent := w.next, w.ready, w.lent // read first: once awake, w is not ours
		ready <- struct{}{}
		if !lent && len(ready) == 0 {
			s.spare.Store(w)
		}
		w = next
	}
}

// inFlight returns how many permits are out according to the word w. Mistaken
// releases make it negative until they are undone. It holds mu.
func (s *Semaphore) inFlight(w uint64) int {
	return limitOf(s.ceiling.Load()) - available(w)
}

// mustBeMade panics if s is the zero Semaphore, which has no limit.
func (s *Semaphore) mustBeMade() {
	if s.ceiling.Load() == 0 {
		panic("limit: Semaphore not made by New")
	}
}
