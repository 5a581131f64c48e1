package stream

import (
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// Results hand what workers return to one consumer, in the order in which the
// places for it were made, or as it comes. Places lie in blocks that are linked,
// so their number can change with that of the workers, and a block is used again.
type Results[R any] struct {
	unordered bool
	ready     chan struct{} // what the consumer waits for is there; room for one word
	room      chan struct{} // the consumer has taken enough; room for one word

	// The producer's.
	added int64
	tail  *block[R]
	next  int // in tail
	free  *block[R]

	// The consumer's.
	taken int64
	head  *block[R]
	first int // in head
	batch []Place[R]
	given int // of batch

	consumed atomic.Int64 // taken, for the producer
	want     atomic.Int64 // the producer waits until that many are taken; 0 if it does not
	awaited  atomic.Pointer[Place[R]]
	spare    atomic.Pointer[block[R]] // blocks that the consumer is done with

	mu     sync.Mutex // unordered only, as is what follows
	came   []Place[R]
	hungry bool
}

// A Place is where a worker puts a result.
type Place[R any] struct {
	value R
	err   error
	done  atomic.Bool
}

// take empties r, or it would keep what it points to.
func (r *Place[R]) take() (value R, err error) {
	value, r.value = r.value, value
	err, r.err = r.err, nil
	return value, err
}

type block[R any] struct {
	places [64]Place[R]
	next   *block[R] // in use, set before the last place is given away
}

func (q *Results[R]) init(unordered bool) {
	q.unordered = unordered
	q.ready, q.room = make(chan struct{}, 1), make(chan struct{}, 1)
	q.head = new(block[R])
	q.tail = q.head
}

// Add makes a place, once fewer than most results are between it and the
// consumer. It reports false if done is closed first.
func (q *Results[R]) Add(most int, done <-chan struct{}) (*Place[R], bool) {
	for q.Full(most) {
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
		b := q.newBlock()
		q.tail.next = b
		q.tail, q.next = b, 0
	}
	return r, true
}

// Full reports whether Add would wait.
func (q *Results[R]) Full(most int) bool { return q.added-q.consumed.Load() >= int64(most) }

// newBlock returns a block to fill. The producer takes all spare ones at a time, so
// that the consumer, who adds to them, cannot mistake one for another.
func (q *Results[R]) newBlock() *block[R] {
	b := q.free
	if b == nil {
		b = q.spare.Swap(nil)
	}
	if b == nil {
		return new(block[R])
	}
	q.free, b.next = b.next, nil
	return b
}

// Put puts a result in its place.
func (q *Results[R]) Put(to *Place[R], value R, err error) {
	if to == nil {
		q.mu.Lock()
		q.came = append(q.came, Place[R]{value: value, err: err})
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
// closed when no more are put, done before that, and results that are left when c has been
// stopped are not wanted.
func (q *Results[R]) take(done, over <-chan struct{}, c *call.Call) (value R, err error, ok bool) {
	for last := false; !c.Stopped(); {
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
func (q *Results[R]) get() (value R, err error, ok bool) {
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

func (q *Results[R]) getAny() (value R, err error, ok bool) {
	if q.given == len(q.batch) {
		q.mu.Lock()
		q.batch, q.came = q.came, q.batch[:0]
		q.hungry = len(q.batch) == 0
		q.mu.Unlock()
		if q.given = 0; len(q.batch) == 0 {
			return value, err, false
		}
	}
	value, err = q.batch[q.given].take()
	q.given++
	q.count()
	return value, err, true
}

// count lets the producer go on when enough was taken.
func (q *Results[R]) count() {
	q.taken++
	q.consumed.Store(q.taken)
	if n := q.want.Load(); n > 0 && q.taken >= n {
		q.want.Store(0)
		notify(q.room)
	}
}
