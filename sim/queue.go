package sim

// A queue holds those who wait, first come, first served, in a ring that doubles when it
// is full.
type queue[T any] struct {
	ring []T
	head int
	n    int
}

func (q *queue[T]) push(u T) {
	if q.n == len(q.ring) {
		grown := make([]T, max(64, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = u
	q.n++
}

// pop removes and returns the oldest of a queue that is not empty.
func (q *queue[T]) pop() T {
	u := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return u
}
