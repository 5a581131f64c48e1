package sweetspot

import (
	"context"
	"iter"
	"reflect"
)

// ForEachSeq calls f once with each value of seq.
//
// If f returns an error, ForEachSeq takes no more values, cancels the ctx of the
// calls that run, waits for them, and returns the first error in time as an
// [*ItemError]; its index counts the values of seq. With [JoinErrors] it goes on
// and returns all errors. If ctx is done before all values have been handed to f,
// it returns [context.Cause] of ctx; if it is done from the beginning, neither
// seq nor f is called. If seq or f panics, ForEachSeq panics with a
// [*PanicError] once the calls that run have ended; if one of them calls
// [runtime.Goexit], so does ForEachSeq. In all these cases seq is told to stop,
// and returns, before ForEachSeq does.
//
// seq runs in the calling goroutine, which calls f itself until what has been
// measured says that others pay: a ForEachSeq of little work is a plain loop. How
// many work at a time is found as for [Map]; values that cost less than some
// 64 µs are taken to be computing, and get at most GOMAXPROCS goroutines. When a
// limit falls, surplus goroutines leave after the values that they have claimed;
// when it rises, more join.
//
// Values are taken no faster than workers become free: at most what these do in
// some 0.1 ms lies ready, or one value for each if values take longer. Each can
// be claimed at once, in the order of seq, so seq may block, also for what f does
// with earlier values, and f may wait for earlier values. While seq blocks, it
// cannot be told to stop: a source that may block for ever should end with ctx or
// with a context of its own. The order in which calls of f begin in different
// goroutines is undefined.
//
// Beside a plain loop ForEachSeq takes less than 1 µs more, and allocates one
// object as long as the calling goroutine is alone.
func ForEachSeq[T any](ctx context.Context, seq iter.Seq[T], f func(ctx context.Context, v T) error, opts ...Option) error {
	if seq == nil {
		panic("sweetspot: ForEachSeq: the sequence is nil")
	}
	if f == nil {
		panic("sweetspot: ForEachSeq: the function is nil")
	}
	e := &visitingSeq[T]{seq: seq, f: f}
	e.engage("ForEachSeq", reflect.ValueOf(f).Pointer(), opts)
	if err := e.begin(ctx, e, 0); err != nil {
		return err
	}
	e.unclaimed.Store(1) // there may be more, until the source has ended
	return e.errs.join(e.run())
}

type visitingSeq[T any] struct {
	feed[T]
	seq  iter.Seq[T]
	f    func(context.Context, T) error
	errs itemErrors
}

func (e *visitingSeq[T]) work(w *worker) error {
	if !w.leads {
		return e.serve(w)
	}
	e.items = e
	e.start()
	e.seq(func(v T) bool {
		i := e.index
		if uint64(i) >= uint64(e.mark) {
			return e.special(v)
		}
		e.index = ^i
		err := e.f(&e.ctx, v)
		e.index = i + 1
		return err == nil || e.failedAlone(err)
	})
	e.finish()
	return nil
}

// special takes a value where there is more to do than to call f.
func (e *visitingSeq[T]) special(v T) bool {
	e.resumed()
	if e.stopped.Load() {
		e.mark = 0
		return false
	}
	if e.feeding {
		return e.put(v)
	}
	began := e.clock()
	e.index = ^e.index
	err := e.f(&e.ctx, v)
	now := e.clock()
	e.index = ^e.index + 1
	if err != nil && !e.failedAlone(err) || !e.edge(now, now-began) {
		e.mark = 0
		return false
	}
	return true
}

// failedAlone takes note of an error of the lead's newest value, and reports
// whether the call goes on.
func (e *visitingSeq[T]) failedAlone(err error) bool {
	if err := e.lead.failed(int(e.index-1), err, &e.errs); err != nil {
		e.fail(err)
		e.mark = 0
		return false
	}
	return true
}

func (e *visitingSeq[T]) visit(w *worker, first int, items []T) error {
	for i, v := range items {
		if err := e.f(&e.ctx, v); err != nil {
			if err := w.failed(first+i, err, &e.errs); err != nil {
				return err
			}
		}
	}
	return nil
}
