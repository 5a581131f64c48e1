package pool

// A Queue is a queue, with its methods in the open.
type Queue[T any] struct{ q queue[T] }

func (q *Queue[T]) SetRoom(n int)           { q.q.room = n; q.q.admit() }
func (q *Queue[T]) Add(v T)                 { q.q.add(v) }
func (q *Queue[T]) Take(k int) []T          { return q.q.take(nil, min(k, q.q.len())) }
func (q *Queue[T]) PutBack(values []T)      { q.q.putBack(values) }
func (q *Queue[T]) Accepts() bool           { return q.q.accepts() }
func (q *Queue[T]) Len() int                { return q.q.len() }
func (q *Queue[T]) Wait(v T) *Submission[T] { return (*Submission[T])(q.q.wait(v)) }
func (q *Queue[T]) Leave(s *Submission[T])  { q.q.leave((*submission[T])(s)) }
func (q *Queue[T]) Refuse(err error)        { q.q.refuse(err) }

// A Submission is a submission.
type Submission[T any] submission[T]

// Settled reports whether s was taken or refused, and with what error.
func (s *Submission[T]) Settled() (bool, error) { return s.settled, s.err }
