package sim

// A queue holds the units that wait for a server, first come, first served, in
// a ring that doubles when it is full.
type queue struct {
	ring []int32
	head int
	n    int
}

func (q *queue) push(u int32) {
	if q.n == len(q.ring) {
		grown := make([]int32, max(64, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = u
	q.n++
}

// pop removes and returns the oldest unit of a queue that is not empty.
func (q *queue) pop() int32 {
	u := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return u
}
