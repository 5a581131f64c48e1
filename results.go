package sweetspot

import (
	"sync"
	"sync/atomic"
)

// results hand what workers return to one consumer, in the order in which the
// places for it were made, or as it comes. Places lie in blocks that are linked,
// so their number can change with that of the workers, and a block is used again.
type results[R any] struct {
	unordered bool
	ready     chan struct{} // what the consumer waits for is there; room for one word
	room      chan struct{} // the consumer has taken enough; room for one word

	// The producer's.
	added int64
	tail  *resultBlock[R]
	next  int // in tail
	free  *resultBlock[R]

	// The consumer's.
	taken int64
	head  *resultBlock[R]
	first int // in head
	inbox []result[R]
	given int // of inbox

	consumed atomic.Int64 // taken, for the producer
	want     atomic.Int64 // the producer waits until that many are taken; 0 if it does not
	awaited  atomic.Pointer[result[R]]
	spare    atomic.Pointer[resultBlock[R]] // blocks that the consumer is done with

	mu     sync.Mutex // unordered only, as is what follows
	outbox []result[R]
	hungry bool
}

type result[R any] struct {
	value R
	err   error
	done  atomic.Bool
}

// take empties r, lest it keep what it points to.
func (r *result[R]) take() (value R, err error) {
	value, r.value = r.value, value
	err, r.err = r.err, nil
	return value, err
}

type resultBlock[R any] struct {
	places [64]result[R]
	next   *resultBlock[R] // in use, set before the last place is given away
}

func (q *results[R]) init(unordered bool) {
	q.unordered = unordered
	q.ready, q.room = make(chan struct{}, 1), make(chan struct{}, 1)
	q.head = new(resultBlock[R])
	q.tail = q.head
}

// add makes a place, once fewer than most results are between it and the
// consumer. It reports false if done is closed first.
func (q *results[R]) add(most int, done <-chan struct{}) (*result[R], bool) {
	for q.full(most) {
		q.want.Store(q.added - int64(most/2))
		if q.consumed.Load() < q.want.Load() {
			select {
			case <-q.room:
			case <-done:
				return nil, false
			}
		}
		q.want.Store(0)
	}
	q.added++
	if q.unordered {
		return nil, true
	}
	r := &q.tail.places[q.next]
	if q.next++; q.next == len(q.tail.places) {
		b := q.block()
		q.tail.next = b
		q.tail, q.next = b, 0
	}
	return r, true
}

// full reports whether add would wait.
func (q *results[R]) full(most int) bool { return q.added-q.consumed.Load() >= int64(most) }

// block returns a block to fill. The producer takes all spare ones at a time, so
// that the consumer, who adds to them, cannot mistake one for another.
func (q *results[R]) block() *resultBlock[R] {
	b := q.free
	if b == nil {
		b = q.spare.Swap(nil)
	}
	if b == nil {
		return new(resultBlock[R])
	}
	q.free, b.next = b.next, nil
	return b
}

// put puts a result in its place.
func (q *results[R]) put(to *result[R], value R, err error) {
	if to == nil {
		q.mu.Lock()
		q.outbox = append(q.outbox, result[R]{value: value, err: err})
		hungry := q.hungry
		q.hungry = false
		q.mu.Unlock()
		if hungry {
			notify(q.ready)
		}
		return
	}
	to.value, to.err = value, err
	to.done.Store(true)
	if q.awaited.Load() == to {
		notify(q.ready)
	}
}

// notify puts a word into a channel with room for one, unless there is one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns the next result. It reports false when there will be none: over is
// closed when no more are put, done before that, and stopped says that those that
// are left are not wanted.
func (q *results[R]) take(done, over <-chan struct{}, stopped *atomic.Bool) (value R, err error, ok bool) {
	for last := false; !stopped.Load(); {
		if value, err, ok = q.get(); ok || last {
			return value, err, ok
		}
		select {
		case <-q.ready:
			continue
		default:
		}
		select {
		case <-q.ready:
		case <-done:
			<-over
			last = true
		}
	}
	return value, err, false
}

// get returns the next result if it is there; otherwise ready tells when it is.
func (q *results[R]) get() (value R, err error, ok bool) {
	if q.unordered {
		return q.getAny()
	}
	r := &q.head.places[q.first]
	if !r.done.Load() {
		q.awaited.Store(r)
		if !r.done.Load() {
			return value, err, false
		}
		q.awaited.Store(nil)
	}
	value, err = r.take()
	r.done.Store(false)
	if q.first++; q.first == len(q.head.places) {
		b := q.head
		q.head, q.first = b.next, 0
		for {
			b.next = q.spare.Load()
			if q.spare.CompareAndSwap(b.next, b) {
				break
			}
		}
	}
	q.count()
	return value, err, true
}

func (q *results[R]) getAny() (value R, err error, ok bool) {
	if q.given == len(q.inbox) {
		q.mu.Lock()
		q.inbox, q.outbox = q.outbox, q.inbox[:0]
		q.hungry = len(q.inbox) == 0
		q.mu.Unlock()
		if q.given = 0; len(q.inbox) == 0 {
			return value, err, false
		}
	}
	value, err = q.inbox[q.given].take()
	q.given++
	q.count()
	return value, err, true
}

// count lets the producer go on when enough was taken.
func (q *results[R]) count() {
	q.taken++
	q.consumed.Store(q.taken)
	if n := q.want.Load(); n > 0 && q.taken >= n {
		q.want.Store(0)
		notify(q.room)
	}
}
