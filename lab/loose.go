package lab

import (
	"sync"
)

// A looseSemaphore is the elastic semaphore of the talk, from its description: a
// counter that wait lowers by one and signal raises by one. A caller that makes it
// negative waits. A change of the limit moves the counter by the same amount.
//
// So a counter below 0 may mean that a caller waits, or that the limit was lowered
// below the number that run: the semaphore cannot distinguish the two.
type looseSemaphore struct {
	mu      sync.Mutex
	turn    sync.Cond
	counter int
	limit   int
	open    bool // lets everybody through, at the end

	// wakes says, by the counter before a signal, whether the signal hands its permit
	// to a waiting caller, if there is one.
	wakes func(counter int) bool
}

// wakesEach is the form of the textbooks (Dijkstra): a count below 0 is the
// number of waiting callers.
func wakesEach(counter int) bool { return counter < 0 }

// wakesLast is what the published implementation does: only the signal that finds
// the counter at -1 wakes a caller.
func wakesLast(counter int) bool { return counter == -1 }

func newLoose(limit int, wakes func(int) bool) *looseSemaphore {
	s := &looseSemaphore{counter: limit, limit: limit, wakes: wakes}
	s.turn.L = &s.mu
	return s
}

func (s *looseSemaphore) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counter--
	if s.counter < 0 && !s.open {
		s.turn.Wait()
	}
}

func (s *looseSemaphore) Signal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.give()
}

func (s *looseSemaphore) give() {
	wake := s.wakes(s.counter)
	s.counter++
	if wake {
		s.turn.Signal()
	}
}

// SetLimit moves the limit. Each permit more is given as a signal gives one.
func (s *looseSemaphore) SetLimit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.limit < n; s.limit++ {
		s.give()
	}
	s.counter -= s.limit - n
	s.limit = n
}

// asked returns how many have a permit or wait for one.
func (s *looseSemaphore) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit - s.counter
}

// free lets all callers through that wait or come later.
func (s *looseSemaphore) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
	s.turn.Broadcast()
}
