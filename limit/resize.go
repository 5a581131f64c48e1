package limit

import "fmt"

// MaxLimit is the highest limit: 4,194,304. It is what a field of the state word
// holds, and goroutines of the smallest size would fill 8 GiB at this number.
const MaxLimit = 1 << 22

// SetLimit changes the limit to n. Raising it wakes the callers waiting in
// [Semaphore.Acquire] that now fit, exactly those and in their order. Lowering it
// revokes no permit: as permits come back, no new caller is admitted until fewer than n
// are out.
//
// Any goroutine may call SetLimit at any time; of concurrent calls the last one wins.
// It panics unless n is between 1 and [MaxLimit]. It costs a mutex, and one wake-up for
// each waiter that is admitted.
func (s *Semaphore) SetLimit(n int) {
	check("SetLimit", n)
	s.mustBeMade()
	s.mu.Lock()
	s.resize(n)
	granted := s.grant()
	s.mu.Unlock()
	s.wake(granted)
}

// resize makes n the limit in both words. It holds mu.
func (s *Semaphore) resize(n int) {
	old := s.ceiling.Load()
	if limitOf(old) == n {
		return
	}
	c := newCeiling(n, old)
	s.ceiling.Store(c)
	for {
		w := s.word.Load()
		changed := w&^(availableMask|generationMask) | c&generationMask |
			uint64(available(w)+n-limitOf(old)+bias)
		if s.word.CompareAndSwap(w, changed) {
			return
		}
	}
}

// Limit returns the limit in force. During a [Semaphore.SetLimit] it returns the new
// limit a moment before it takes effect. It costs one atomic load.
func (s *Semaphore) Limit() int {
	return limitOf(s.ceiling.Load())
}

// check panics unless n is a limit.
func check(method string, n int) {
	if n < 1 || n > MaxLimit {
		panic(fmt.Sprintf("limit: %s(%d): the limit must be between 1 and %d", method, n, MaxLimit))
	}
}
