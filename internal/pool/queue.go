package pool

import (
	"container/list"
	"slices"
)

// A queue holds the values that wait for workers, and the submitters that wait for room,
// first come, first served. It is guarded by Pool.mu.
type queue[T any] struct {
	ring    []T // its length is a power of two
	head, n int
	spilled []T       // taken back from workers that are stuck
	room    int       // values that may lie in ring
	waiting list.List // of *submission[T]
}

type submission[T any] struct {
	v       T
	place   *list.Element
	done    chan struct{} // closed when it was taken or refused
	err     error
	settled bool
}

// len returns how many values lie ready.
func (q *queue[T]) len() int { return q.n + len(q.spilled) }

// accepts reports whether there is room, and nobody waits for it.
func (q *queue[T]) accepts() bool { return q.n < q.room && q.waiting.Len() == 0 }

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

func (q *queue[T]) wait(v T) *submission[T] {
	s := &submission[T]{v: v, done: make(chan struct{})}
	s.place = q.waiting.PushBack(s)
	return s
}

// leave takes s off the submitters that wait.
func (q *queue[T]) leave(s *submission[T]) { q.waiting.Remove(s.place) }

// admit takes the values of submitters that wait, as far as there is room.
func (q *queue[T]) admit() {
	for q.waiting.Len() > 0 && q.n < q.room {
		q.add(q.answer(nil))
	}
}

// refuse answers all submitters that wait with err.
func (q *queue[T]) refuse(err error) {
	for q.waiting.Len() > 0 {
		q.answer(err)
	}
}

// answer answers the submitter that has waited for longest, and returns its value.
func (q *queue[T]) answer(err error) T {
	s := q.waiting.Remove(q.waiting.Front()).(*submission[T])
	s.settled, s.err = true, err
	close(s.done)
	return s.v
}

func (q *queue[T]) take(batch []T, k int) []T {
	n := min(k, len(q.spilled))
	batch = append(batch, q.spilled[:n]...)
	clear(q.spilled[:n]) // or the array would keep what they point to
	q.spilled = q.spilled[n:]
	for m := min(k-len(batch), q.n); m > 0; m = min(k-len(batch), q.n) {
		part := q.ring[q.head:min(q.head+m, len(q.ring))]
		batch = append(batch, part...)
		clear(part) // and so would the ring
		q.head = (q.head + len(part)) & (len(q.ring) - 1)
		q.n -= len(part)
	}
	return batch
}

// putBack puts values in front.
func (q *queue[T]) putBack(values []T) { q.spilled = slices.Concat(values, q.spilled) }

func (q *queue[T]) clear() {
	clear(q.ring)
	q.n, q.spilled = 0, nil
}
