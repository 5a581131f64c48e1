package stream

// A Queue is a queue, with its methods in the open.
type Queue[T any] struct{ q queue[T] }

func (q *Queue[T]) Reset(n int64, room int) { q.q.reset(n); q.q.room = int64(room) }
func (q *Queue[T]) Room(n int)              { q.q.room = int64(n) }
func (q *Queue[T]) Push(v T) bool           { return q.q.push(v) }
func (q *Queue[T]) Len() int                { return int(q.q.len()) }
func (q *Queue[T]) Claim(k, share, least int) (items []T, first int) {
	return q.q.claim(nil, k, share, least)
}

// Kept returns how many places of the ring are not zero by that function.
func (q *Queue[T]) Kept(isZero func(T) bool) (n int) {
	for _, v := range q.q.ring {
		if !isZero(v) {
			n++
		}
	}
	return n
}

// NewResults returns Results that are ready for use.
func NewResults[R any](unordered bool) *Results[R] {
	q := new(Results[R])
	q.init(unordered)
	return q
}

func (q *Results[R]) Get() (value R, err error, ok bool) { return q.get() }
