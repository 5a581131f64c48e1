package pool

import "slices"

// A queue holds the values that wait for workers, and the submitters that wait for room,
// first come, first served. It is guarded by Pool.mu.
type queue[T any] struct {
	ring        []T // its length is a power of two
	head, n     int
	spilled     []T // taken back from workers that are stuck
	room        int // values that may lie in ring
	first, last *submission[T]
}

// A submission waits for room.
type submission[T any] struct {
	v          T
	prev, next *submission[T]
	done       chan struct{} // closed when it was taken or refused
	err        error
	settled    bool
}

// len returns how many values lie ready.
func (q *queue[T]) len() int { return q.n + len(q.spilled) }

// accepts reports whether there is room, and nobody waits for it.
func (q *queue[T]) accepts() bool { return q.n < q.room && q.first == nil }

// add puts v into the queue.
func (q *queue[T]) add(v T) {
	if q.n == len(q.ring) {
		ring := make([]T, max(16, 2*len(q.ring)))
		k := copy(ring, q.ring[q.head:])
		copy(ring[k:], q.ring[:q.head])
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = v
	q.n++
}

// wait makes a submission of v.
func (q *queue[T]) wait(v T) *submission[T] {
	s := &submission[T]{v: v, prev: q.last, done: make(chan struct{})}
	if q.last != nil {
		q.last.next = s
	} else {
		q.first = s
	}
	q.last = s
	return s
}

// leave takes s off the submitters that wait.
func (q *queue[T]) leave(s *submission[T]) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		q.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		q.last = s.prev
	}
}

// admit takes the values of submitters that wait, as far as there is room.
func (q *queue[T]) admit() {
	for s := q.first; s != nil && q.n < q.room; s = q.first {
		q.leave(s)
		q.add(s.v)
		s.settled = true
		close(s.done)
	}
}

// refuse answers all submitters that wait with err.
func (q *queue[T]) refuse(err error) {
	for s := q.first; s != nil; s = q.first {
		q.leave(s)
		s.settled, s.err = true, err
		close(s.done)
	}
}

// take moves k values to batch.
func (q *queue[T]) take(batch []T, k int) []T {
	n := min(k, len(q.spilled))
	batch = append(batch, q.spilled[:n]...)
	q.spilled = q.spilled[n:]
	for m := min(k-len(batch), q.n); m > 0; m = min(k-len(batch), q.n) {
		part := q.ring[q.head:min(q.head+m, len(q.ring))]
		batch = append(batch, part...)
		clear(part) // or the ring would keep what they point to
		q.head = (q.head + len(part)) & (len(q.ring) - 1)
		q.n -= len(part)
	}
	return batch
}

// putBack puts values in front.
func (q *queue[T]) putBack(values []T) { q.spilled = slices.Concat(values, q.spilled) }

// clear drops all values.
func (q *queue[T]) clear() {
	clear(q.ring)
	q.n, q.spilled = 0, nil
}
