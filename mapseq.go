package sweetspot

import (
	"bytes"
	"context"
	"errors"
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
// ctx; if it is done from the beginning, neither seq nor f is called. If seq or f
// panics, the range panics with a [*PanicError]; [runtime.Goexit] is passed on.
//
// As long as there is little work, a range is a plain loop: one value at a time
// through seq, f and the loop's body, in a coroutine (see [iter.Pull]). Once what
// has been measured says that others pay, seq runs in a goroutine of its own, f in
// others, and the body in the calling one, which is given each result that is
// ready, also while seq blocks. How many work at a time is found as for
// [ForEachSeq], also where a limit changes. Values are taken no faster than workers
// become free, and no further ahead of the body than some four times what the
// workers do in 0.1 ms, or four values for each worker: so memory stays flat, however
// long one value takes.
//
// seq may wait for what f or the body does with earlier values. But one that
// blocks cannot be told to stop: where it may block for ever, it should end with
// ctx or with a context of its own.
//
// Goroutines that are locked to their thread (see [runtime.LockOSThread]) work
// alone, since their coroutines must stay there. The body must not change whether
// its goroutine is locked. It is undefined on which goroutine the body runs, but
// each time one that stands for the calling one: panics and Goexit get there.
//
// Beside a plain loop a range takes some microseconds more, mostly for the
// coroutine.
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
		m.set = set
		m.recall.load(reflect.ValueOf(f).Pointer())
		m.iterate(ctx)
	}
}

type mappingSeq[T, R any] struct {
	feed[errand[T, R]]
	seq   iter.Seq[T]
	f     func(context.Context, T) (R, error)
	yield func(R, error) bool

	detach func(struct{}) bool // ends the calling goroutine's part in the coroutine
	over   chan struct{}       // closed when the coroutine has ended
	err    error
	last   bool // the last pair was yielded, or the body wants no more
	inBody bool
	thrown any // by the body

	results  results[R]
	failedAt atomic.Int64 // index of the first item, in order, that failed: later ones are not begun
}

// An errand is a value and the place for its result.
type errand[T, R any] struct {
	v  T
	to *result[R]
}

// iterate is one range.
func (m *mappingSeq[T, R]) iterate(ctx context.Context) {
	var none R
	m.apart = m.mayDetach
	m.failedAt.Store(math.MaxInt64)
	if err := m.begin(ctx, m, 0); err != nil {
		m.yield(none, err)
		return
	}
	m.unclaimed.Store(1) // there may be more, until the source has ended
	next, _ := iter.Pull(m.coroutine)
	if _, more := next(); more {
		thrown, exited := m.accompany(next)
		switch {
		case thrown != nil:
			panic(thrown)
		case exited:
			runtime.Goexit()
		}
	}
	if m.err != nil && !m.last {
		m.yield(none, m.err)
	}
}

// coroutine is the call. It yields once if it goes on beside the caller.
func (m *mappingSeq[T, R]) coroutine(detach func(struct{}) bool) {
	m.detach = detach
	defer func() {
		if m.thrown != nil { // the body's own panic is none of ours
			recover()
			panic(m.thrown)
		}
	}()
	m.err = m.run()
}

// accompany drives the coroutine in a goroutine, and hands the results to the
// body. It returns how the coroutine ended.
func (m *mappingSeq[T, R]) accompany(next func() (struct{}, bool)) (thrown any, exited bool) {
	m.over = make(chan struct{})
	go func() {
		exited = true
		defer close(m.over)
		defer func() {
			if exited {
				thrown = recover()
				exited = thrown == nil
			}
		}()
		next()
		exited = false
	}()
	finished := false
	defer func() {
		if !finished { // the body has panicked, or ended its goroutine
			m.stop(context.Canceled)
			<-m.over
		}
	}()
	m.consume()
	<-m.over
	finished = true
	return thrown, exited
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
	defer func() {
		if m.inBody {
			if m.thrown = recover(); m.thrown != nil {
				panic(m.thrown)
			}
		}
	}()
	m.items = m
	m.start()
	if m.feeding {
		m.cutLoose()
	}
	f, ctx, yield := m.f, context.Context(&m.ctx), m.yield
	m.seq(func(v T) bool {
		n := m.index + 1
		if n >= m.mark {
			return m.special(v)
		}
		m.index = n
		r, err := f(ctx, v)
		if err != nil {
			return m.failedAlone(err)
		}
		m.inBody = true
		ok := yield(r, nil)
		m.inBody = false
		m.ended = n
		return ok || m.broken()
	})
	m.finish()
	return nil
}

// special takes a value where there is more to do than to call f and the body.
func (m *mappingSeq[T, R]) special(v T) bool {
	switch {
	case m.stopped.Load() || m.failedAt.Load() < math.MaxInt64:
		m.mark = -1
		return false
	case m.feeding:
		to, ok := m.results.add(4*int(m.queue.room), m.ctx.Done())
		return ok && m.put(errand[T, R]{v, to})
	}
	began := m.clock()
	m.index++
	r, err := m.f(&m.ctx, v)
	took := m.clock() - began
	if err != nil {
		if !m.failedAlone(err) {
			return false
		}
	} else if !m.give(r, nil) {
		return false
	}
	if !m.edge(took) {
		m.mark = -1
		return false
	}
	if m.feeding {
		m.cutLoose()
	}
	return true
}

// give hands a pair to the body in the coroutine. It reports whether it wants more.
func (m *mappingSeq[T, R]) give(r R, err error) bool {
	m.inBody = true
	ok := m.yield(r, err)
	m.inBody = false
	m.ended = m.index
	return ok || m.broken()
}

// broken ends the call because the loop was left, or has got its last pair.
func (m *mappingSeq[T, R]) broken() bool {
	m.last = true
	m.mark = -1
	m.stop(context.Canceled)
	return false
}

// failedAlone hands the error of the newest value to the body in the coroutine,
// and reports whether the call goes on.
func (m *mappingSeq[T, R]) failedAlone(err error) bool {
	m.ended = m.index
	err, over := m.judge(&m.lead, m.index-1, err)
	if over {
		m.fail(err)
		m.mark = -1
		return false
	}
	var none R
	return m.give(none, err) && (m.set.joinErrors || m.broken())
}

// judge returns the error to yield for that of an item, or, if it is the caller
// who has ended the call, the error to end it with.
func (m *mappingSeq[T, R]) judge(w *worker, index int, err error) (_ error, over bool) {
	w.bad++
	if l := m.set.limiter; l != nil && l.classify(err) == Overloaded {
		l.overloads.Add(1)
	}
	if ctx := m.ctx.Context; ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx), true
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

// cutLoose ends the caller's part in the coroutine. What follows runs beside it.
func (m *mappingSeq[T, R]) cutLoose() {
	m.results.init(m.set.unordered)
	m.detach(struct{}{})
}

// mayDetach reports whether another goroutine may drive the coroutine. One that
// is tied to a thread must stay on it, and the runtime ends the program if it does
// not; only a trace tells. It takes some microseconds, once.
func (m *mappingSeq[T, R]) mayDetach() bool {
	var header [64]byte
	n := runtime.Stack(header[:], false)
	line, _, _ := bytes.Cut(header[:n], []byte("\n"))
	return !bytes.Contains(line, []byte("locked to thread"))
}
