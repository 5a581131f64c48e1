package sweetspot

import (
	"context"
	"iter"
	"math"
	"reflect"
	"runtime"
	"sync/atomic"
)

// MapSeq returns a sequence of f of each value of seq, in order, each with a nil
// error. Each range over it is a call of its own: it runs seq anew, and all work
// has stopped, and seq has returned, when the range ends, be it by break, return
// or panic in the loop's body.
//
// If f returns an error, the last pair is the zero R and the error, as an
// [*ItemError] whose index counts the values of seq. It comes in its place, after
// the results of all earlier values, as in a plain loop, though later values may
// have been begun. With [JoinErrors] the sequence goes on after it, and so yields
// each error in its place. With [Unordered] results and errors come as they are
// ready. When ctx is done, the last pair is the zero R and [context.Cause] of
// ctx; if it is done from the beginning, neither seq nor f is called. If seq, f or the
// loop's body panics, the range panics with a [*PanicError], which holds the stack;
// [runtime.Goexit] is passed on.
//
// As long as there is little work, a range is a plain loop: one value at a time
// through seq, f and the loop's body. Once what has been measured says that others
// pay, seq goes on in the calling goroutine, f in others, and the body in one of its
// own, which is given each result that is ready, also while seq blocks. How many work
// at a time is found as for [ForEachSeq], also where a limit changes. Values are
// taken no faster than workers become free, and no further ahead of the body than
// some four times what the workers do in 0.1 ms, or four values for each worker: so
// memory stays flat, however long one value takes.
//
// seq may wait for what f or the body does with earlier values. But one that
// blocks cannot be told to stop: where it may block for ever, it should end with
// ctx or with a context of its own.
//
// It is undefined on which goroutine the body runs, but each time one that stands for
// the calling one, which waits for it: its panics, and Goexit, get there once all work
// has stopped. Where the calling goroutine is locked to its thread
// (see [runtime.LockOSThread]), it does everything itself. The body must not change
// whether its goroutine is locked.
//
// Beside a plain loop a range takes less than 1 µs more, and some 3 ns for each value,
// of which 2 are the call of the body.
func MapSeq[T, R any](ctx context.Context, seq iter.Seq[T], f func(ctx context.Context, v T) (R, error), opts ...Option) iter.Seq2[R, error] {
	if seq == nil {
		panic("sweetspot: MapSeq: the sequence is nil")
	}
	if f == nil {
		panic("sweetspot: MapSeq: the function is nil")
	}
	var set settings
	if len(opts) > 0 {
		set = settingsOf("MapSeq", opts)
	}
	return func(yield func(R, error) bool) {
		m := &mappingSeq[T, R]{seq: seq, f: f, yield: yield}
		m.engage("MapSeq", reflect.ValueOf(f).Pointer(), nil)
		m.set = set
		m.iterate(ctx)
	}
}

type mappingSeq[T, R any] struct {
	feed[errand[T, R]]
	seq   iter.Seq[T]
	f     func(context.Context, T) (R, error)
	yield func(R, error) bool

	failedAt atomic.Int64 // index of the first item, in order, that failed: later ones are not begun
	last     bool         // the last pair was yielded, or the body wants no more

	*audience[R] // nil as long as the body runs in the calling goroutine
}

// An errand is a value and the place for its result.
type errand[T, R any] struct {
	v  T
	to *result[R]
}

// An audience is what it takes to run the body apart.
type audience[R any] struct {
	results results[R]
	over    chan struct{} // closed when there will be no more results
	gone    chan struct{} // closed when the body has ended
	thrown  *PanicError   // by the body
	exited  bool          // it called Goexit
}

// iterate is one range.
func (m *mappingSeq[T, R]) iterate(ctx context.Context) {
	m.apart = true
	m.failedAt.Store(math.MaxInt64)
	err := m.begin(ctx, m, 0)
	if err == nil {
		m.unclaimed.Store(1) // there may be more, until the source has ended
		err = m.call()
	}
	if err != nil && !m.last {
		var none R
		m.yield(none, err)
	}
}

// call runs the call, and ends as the body did.
func (m *mappingSeq[T, R]) call() error {
	defer func() {
		if m.audience == nil {
			return
		}
		close(m.over)
		<-m.gone
		switch {
		case m.exited:
			runtime.Goexit()
		case m.thrown != nil: // before what f or seq may have panicked with meanwhile
			recover()
			panic(m.thrown)
		}
	}()
	return m.run()
}

// part has the body run apart from now on.
func (m *mappingSeq[T, R]) part() {
	m.audience = &audience[R]{over: make(chan struct{}), gone: make(chan struct{})}
	m.results.init(m.set.unordered)
	go m.attend()
}

// attend is the goroutine of the body.
func (m *mappingSeq[T, R]) attend() {
	defer close(m.gone)
	left := false
	defer func() {
		if left {
			return
		}
		if value := recover(); value != nil {
			m.thrown = asPanic(value)
		} else {
			m.exited = true
		}
		m.stop(context.Canceled)
	}()
	m.consume()
	left = true
}

// consume hands out results until there are no more, or the body wants none.
func (m *mappingSeq[T, R]) consume() {
	for {
		value, err, ok := m.results.take(m.ctx.Done(), m.over, &m.stopped)
		if !ok {
			return
		}
		if !m.yield(value, err) || err != nil && !m.set.joinErrors {
			m.last = true
			m.stop(context.Canceled)
			return
		}
	}
}

func (m *mappingSeq[T, R]) work(w *worker) error {
	if !w.leads {
		return m.serve(w)
	}
	m.items = m
	m.start()
	if m.feeding {
		m.part()
	}
	m.seq(func(v T) bool {
		i := m.index
		if uint64(i) >= uint64(m.mark) {
			return m.special(v)
		}
		m.index = ^i
		r, err := m.f(&m.ctx, v)
		if err == nil && m.yield(r, nil) {
			m.index = i + 1
			return true
		}
		m.index = i + 1
		if err != nil {
			return m.failedAlone(err)
		}
		return m.broken()
	})
	m.finish()
	return nil
}

// special takes a value where there is more to do than to call f and the body.
func (m *mappingSeq[T, R]) special(v T) bool {
	m.resumed()
	switch {
	case m.stopped.Load() || m.failedAt.Load() < math.MaxInt64:
		m.mark = 0
		return false
	case m.feeding:
		// The room grows only where the queue was seen full, so it may say less than
		// those who wait for items do.
		most := 4 * int(max(m.queue.room, int64(m.manned.Load())))
		full := m.results.full(most)
		if full {
			m.away.Store(true)
		}
		to, ok := m.results.add(most, m.ctx.Done())
		if full {
			m.away.Store(false)
		}
		return ok && m.put(errand[T, R]{v, to})
	}
	began := m.clock()
	m.index = ^m.index
	r, err := m.f(&m.ctx, v)
	m.index = ^m.index + 1
	now := m.clock()
	if err != nil {
		if !m.failedAlone(err) {
			return false
		}
	} else if !m.give(r, nil) {
		return false
	}
	if !m.edge(now, now-began) {
		m.mark = 0
		return false
	}
	if m.feeding {
		m.part()
	}
	return true
}

// give hands a pair to the body in the calling goroutine. It reports whether it wants more.
func (m *mappingSeq[T, R]) give(r R, err error) bool {
	m.index = ^m.index
	ok := m.yield(r, err)
	m.index = ^m.index
	return ok || m.broken()
}

// broken ends the call because the loop was left, or has got its last pair.
func (m *mappingSeq[T, R]) broken() bool {
	m.last = true
	m.mark = 0
	m.stop(context.Canceled)
	return false
}

// failedAlone hands the error of the newest value to the body in the calling
// goroutine, and reports whether the call goes on.
func (m *mappingSeq[T, R]) failedAlone(err error) bool {
	err, over := m.judge(&m.lead, int(m.index-1), err)
	if over {
		m.fail(err)
		m.mark = 0
		return false
	}
	var none R
	return m.give(none, err) && (m.set.joinErrors || m.broken())
}

// judge returns the error to yield for that of an item, or, if it is the caller
// who has ended the call, the error to end it with.
func (m *mappingSeq[T, R]) judge(w *worker, index int, err error) (_ error, over bool) {
	w.bad++
	if cause := w.blame(err); cause != nil {
		return cause, true
	}
	return &ItemError{index, err}, false
}

// visit does items for the body elsewhere.
func (m *mappingSeq[T, R]) visit(w *worker, first int, items []errand[T, R]) error {
	for i, e := range items {
		index := first + i
		if int64(index) > m.failedAt.Load() {
			w.bad++
			continue
		}
		r, err := m.f(&m.ctx, e.v)
		if err != nil {
			var over bool
			if err, over = m.judge(w, index, err); over {
				return err
			}
			for at := m.failedAt.Load(); !m.set.joinErrors && int64(index) < at && !m.failedAt.CompareAndSwap(at, int64(index)); at = m.failedAt.Load() {
			}
			var none R
			r = none
		}
		m.results.put(e.to, r, err)
	}
	return nil
}
