package frontier

import (
	"sync"
	"sync/atomic"
)

// A queue holds the keys of a shared walk that are on no stack, the oldest first,
// and knows whether there will be more.
type queue[K comparable] struct {
	mu     sync.Mutex
	keys   []K // from head on
	head   int
	size   *atomic.Int64 // their number, for all to read; what else it means in the serial phase, see boundary
	active int           // walkers that have keys, or may have
	closed bool          // there are no more roots
	wake   chan struct{} // room for one wake-up of the caller; nil before it has waited
	low    int           // below so many keys the caller wants to be woken
}

// len returns the number of keys. q.mu is held.
func (q *queue[K]) len() int { return len(q.keys) - q.head }

// over reports whether all keys have been visited. q.mu is held.
func (q *queue[K]) over() bool { return q.closed && q.active == 0 && q.len() == 0 }

func (q *queue[K]) add(keys []K) {
	q.mu.Lock()
	q.keys = append(q.keys, keys...)
	q.size.Store(int64(q.len()))
	q.notify()
	q.mu.Unlock()
}

// take moves the oldest keys to buf, whose content it overwrites: an equal part for each
// active walker, but no more than most, nor less than least if there are. q.mu is held.
func (q *queue[K]) take(buf []K, least, most int) []K {
	left := q.len()
	n := min(max(least, min(left/max(q.active, 1), most)), left)
	buf = append(buf[:0], q.keys[q.head:q.head+n]...)
	q.head += n
	if left -= n; left == 0 {
		q.keys, q.head = q.keys[:0], 0
	} else if q.head > left {
		q.keys = q.keys[:copy(q.keys, q.keys[q.head:])]
		q.head = 0
	}
	q.size.Store(int64(left))
	if left < q.low {
		q.notify()
	}
	return buf
}

// leave makes the caller inactive: it has no keys any more, and will wait.
func (q *queue[K]) leave() {
	q.mu.Lock()
	if q.wake == nil {
		q.wake = make(chan struct{}, 1)
	}
	q.active--
	q.mu.Unlock()
}

// notify wakes the caller, or has its next wait return at once. q.mu is held.
func (q *queue[K]) notify() {
	select {
	case q.wake <- struct{}{}:
	default: // there is a wake-up already, or the caller has never waited
	}
}

func (q *queue[K]) wait(done <-chan struct{}) {
	select {
	case <-q.wake:
	case <-done:
	}
}
