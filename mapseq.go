package sweetspot

import (
	"context"
	"iter"
	"math"
	"reflect"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/stream"
)

// MapSeq returns a sequence of f of each value of seq, in order, each with a nil error.
// Each range over it is a separate call: it runs seq anew. When the range ends, by
// break, return or panic in the loop's body, all work has stopped and seq has returned.
//
// If f returns an error, the last pair is the zero R and the error, as an [*ItemError]
// whose index counts the values of seq. It comes in its place, after the results of all
// earlier values, although later values may have been begun. With [AllErrors] the
// sequence goes on after it, and so yields each error in its place. With [Unordered]
// results and errors come as they are ready. When ctx is done, the last pair is the
// zero R and [context.Cause] of ctx; if it is done from the beginning, neither seq nor
// f is called. If seq, f or the loop's body panics, the range panics with a
// [*PanicError], which holds the stack; [runtime.Goexit] is passed on.
//
// While there is little work, a range is a plain loop: one value at a time through seq, f
// and the loop's body. Once measurements say that more goroutines pay, seq stays in the
// calling goroutine, f moves to others, and the body gets one of its own. The body then
// receives each result as it is ready, even while seq blocks. The number of goroutines is
// found as for [ForEachSeq], and follows a limit in the same way. Values are taken only as
// fast as workers become free. They run ahead of the body by at most about four times what
// the workers do in 0.1 ms, or four values per worker. So memory stays bounded, however
// long one value takes.
//
// seq may wait for f or the body to handle earlier values. But a blocked seq cannot be
// stopped: if it may block for ever, it should end with ctx or with a context of its
// own.
//
// It is undefined on which goroutine the body runs. The calling goroutine waits for it,
// and its panics and Goexit arrive there once all work has stopped. If the calling
// goroutine is locked to its thread (see [runtime.LockOSThread]), it does everything
// itself, and keeps its permit of a [*Limiter] meanwhile: seq and the body must not wait for
// another one then. The body must not change whether its goroutine is locked.
//
// A range takes less than 1 µs more than a plain loop, and 3 to 5 ns for each value,
// of which 2 are the call of the body.
func MapSeq[T, R any](ctx context.Context, seq iter.Seq[T], f func(ctx context.Context, v T) (R, error), opts ...MapSeqOption) iter.Seq2[R, error] {
	must(seq != nil, "sweetspot: MapSeq: the sequence is nil")
	must(f != nil, "sweetspot: MapSeq: the function is nil")
	set := settingsOf("MapSeq", opts)
	do := f
	if set.Weighed {
		do = mapWeighed(weightOf[T]("MapSeq", set.weight), f)
	}
	return func(yield func(R, error) bool) {
		m := &mappingSeq[T, R]{seq: seq, f: do, yield: yield, allErrors: set.allErrors, unordered: set.unordered}
		m.Engage(reflect.ValueOf(f).Pointer(), &set.Config)
		m.iterate(ctx)
	}
}

type mappingSeq[T, R any] struct {
	stream.Producer[task[T, R]]
	seq                  iter.Seq[T]
	f                    func(context.Context, T) (R, error)
	yield                func(R, error) bool
	allErrors, unordered bool

	failedAt atomic.Int64        // index of the first item, in order, that failed: later ones are not begun
	last     bool                // the last pair was yielded, or the body wants no more
	consumer *stream.Consumer[R] // of the results; nil as long as the body runs in the calling goroutine
}

// A task is a value and the place for its result.
type task[T, R any] struct {
	v  T
	to *stream.Place[R]
}

func (m *mappingSeq[T, R]) iterate(ctx context.Context) {
	m.Apart = true
	m.failedAt.Store(math.MaxInt64)
	if err := m.run(ctx); err != nil && !m.last {
		m.finish(err)
	}
}

// finish yields the last pair.
func (m *mappingSeq[T, R]) finish(err error) {
	defer wrapped()
	var none R
	m.yield(none, err)
}

// run does the call, and ends as the body did.
func (m *mappingSeq[T, R]) run(ctx context.Context) error {
	defer func() {
		if m.consumer == nil {
			return
		}
		failure := m.consumer.End()
		switch {
		case !failure.Failed():
			return
		case !failure.Exited():
			recover() // what f or seq may have panicked with meanwhile comes later
		default:
			if value := recover(); value != nil {
				panic(value) // a panic goes before a Goexit
			}
		}
		failure.Resume()
	}()
	return m.Do(ctx, m)
}

// part has the body run apart from now on.
func (m *mappingSeq[T, R]) part() {
	m.consumer = stream.Consume(&m.Handle, m.unordered, func(r R, err error) bool {
		if !m.yield(r, err) || err != nil && !m.allErrors {
			m.last = true
			return false
		}
		return true
	})
}

func (m *mappingSeq[T, R]) Work(w *call.Worker) error {
	if !w.IsCaller {
		return m.Serve(w)
	}
	m.Items = m
	m.Start()
	if m.Producing {
		m.part()
	}
	m.seq(func(v T) bool {
		i := m.Index
		if uint64(i) >= uint64(m.Mark) {
			return m.special(v)
		}
		m.Index = ^i
		r, err := m.f(m.Context(), v)
		if err == nil && m.yield(r, nil) {
			m.Index = i + 1
			return true
		}
		m.Index = i + 1
		if err != nil {
			return m.failedAlone(err)
		}
		return m.broken()
	})
	m.End()
	return nil
}

// special takes a value where there is more to do than to call f and the body.
func (m *mappingSeq[T, R]) special(v T) bool {
	m.Resumed()
	switch {
	case m.Stopped() || m.failedAt.Load() < math.MaxInt64:
		m.Mark = 0
		return false
	case m.Producing:
		most := 4 * m.Ahead()
		full := m.consumer.Full(most)
		if full {
			m.Away(true)
		}
		to, ok := m.consumer.Add(most, m.Context().Done())
		if full {
			m.Away(false)
		}
		return ok && m.Put(task[T, R]{v, to})
	}
	began := m.Clock()
	m.Index = ^m.Index
	r, err := m.f(m.Context(), v)
	m.Index = ^m.Index + 1
	now := m.Clock()
	if err != nil {
		if !m.failedAlone(err) {
			return false
		}
	} else if !m.give(r, nil) {
		return false
	}
	if !m.Boundary(now, now-began) {
		m.Mark = 0
		return false
	}
	if m.Producing {
		m.part()
	}
	return true
}

// give hands a pair to the body in the calling goroutine. It reports whether it wants more.
func (m *mappingSeq[T, R]) give(r R, err error) bool {
	m.Index = ^m.Index
	ok := m.yield(r, err)
	m.Index = ^m.Index
	return ok || m.broken()
}

// broken ends the call because the loop was left, or has got its last pair.
func (m *mappingSeq[T, R]) broken() bool {
	m.last = true
	m.Mark = 0
	m.Stop(context.Canceled)
	return false
}

// failedAlone hands the error of the newest value to the body in the calling
// goroutine, and reports whether the call goes on.
func (m *mappingSeq[T, R]) failedAlone(err error) bool {
	if cause := m.Caller.Blame(err); cause != nil {
		m.Fail(cause)
		m.Mark = 0
		return false
	}
	var none R
	return m.give(none, &ItemError{int(m.Index - 1), err}) && (m.allErrors || m.broken())
}

// Visit does items for the body elsewhere.
func (m *mappingSeq[T, R]) Visit(w *call.Worker, first int, items []task[T, R]) error {
	for i, t := range items {
		index := first + i
		if int64(index) > m.failedAt.Load() {
			w.Items--
			continue
		}
		r, err := m.f(m.Context(), t.v)
		if err != nil {
			if cause := w.Blame(err); cause != nil {
				return cause
			}
			err = &ItemError{index, err}
			for at := m.failedAt.Load(); !m.allErrors && int64(index) < at && !m.failedAt.CompareAndSwap(at, int64(index)); at = m.failedAt.Load() {
			}
			var none R
			r = none
		}
		m.consumer.Put(t.to, r, err)
	}
	return nil
}
