package sweetspot

import (
	"context"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/stream"
)

// ForEachSeq calls f once with each value of seq.
//
// If f returns an error, ForEachSeq takes no more values, cancels the ctx of the
// running calls, waits for them, and returns the first error in time as an
// [*ItemError]; its index counts the values of seq. With [AllErrors] it goes on and
// returns all errors. If ctx is done before seq has ended or while there are values left,
// it returns [context.Cause] of ctx; if it is done from the beginning, neither seq nor f
// is called. If seq or f panics, ForEachSeq panics with a [*PanicError] once the
// running calls have ended; if one of them calls [runtime.Goexit], so does ForEachSeq.
// In all these cases seq is stopped, and returns, before ForEachSeq does.
//
// seq runs in the calling goroutine, which calls f itself until measurements say that
// others pay. So a ForEachSeq of little work is a plain loop. The number of goroutines
// is found as for [Map]. Values that cost less than about 64 µs count as computing, and
// get at most GOMAXPROCS goroutines. When a limit falls, surplus goroutines leave after
// the values that they have claimed; when it rises, more join.
//
// Values are taken only as fast as workers become free. At most about 0.1 ms of work
// lies ready, or one value per worker if values take longer. Each value can be claimed
// at once, in the order of seq. So seq may block, even until f is done with earlier
// values, and f may wait for earlier values. A blocked seq cannot be stopped: a source
// that may block for ever should end with ctx or with a context of its own. The order
// in which calls of f begin in different goroutines is undefined.
//
// ForEachSeq takes less than 1 µs more than a plain loop, and allocates two objects
// while the calling goroutine is alone.
func ForEachSeq[T any](ctx context.Context, seq iter.Seq[T], f func(ctx context.Context, v T) error, opts ...MapOption) error {
	must(seq != nil, "sweetspot: ForEachSeq: the sequence is nil")
	must(f != nil, "sweetspot: ForEachSeq: the function is nil")
	set := settingsOf("ForEachSeq", opts)
	e := &visitingSeq[T]{seq: seq, f: f, errs: itemErrors{all: set.allErrors}}
	e.Engage(reflect.ValueOf(f).Pointer(), &set.Config)
	if set.Weighed {
		e.f = visitWeighed(weightOf[T]("ForEachSeq", set.weight), f)
	}
	return e.errs.join(e.Do(ctx, e))
}

type visitingSeq[T any] struct {
	stream.Producer[T]
	seq  iter.Seq[T]
	f    func(context.Context, T) error
	errs itemErrors
}

func (e *visitingSeq[T]) Work(w *call.Worker) error {
	if !w.IsCaller {
		return e.Serve(w)
	}
	e.Items = e
	e.Start()
	e.seq(func(v T) bool {
		i := e.Index
		if uint64(i) >= uint64(e.Mark) {
			return e.special(v)
		}
		e.Index = ^i
		err := e.f(e.Context(), v)
		e.Index = i + 1
		return err == nil || e.failedAlone(err)
	})
	e.End()
	return nil
}

// special takes a value where there is more to do than to call f.
func (e *visitingSeq[T]) special(v T) bool {
	e.Resumed()
	if e.Stopped() {
		e.Mark = 0
		return false
	}
	if e.Producing {
		return e.Put(v)
	}
	began := e.Clock()
	e.Index = ^e.Index
	err := e.f(e.Context(), v)
	now := e.Clock()
	e.Index = ^e.Index + 1
	if err != nil && !e.failedAlone(err) || !e.Boundary(now, now-began) {
		e.Mark = 0
		return false
	}
	return true
}

// failedAlone takes note of an error of the caller's newest value, and reports
// whether the call goes on.
func (e *visitingSeq[T]) failedAlone(err error) bool {
	if err := e.errs.take(&e.Caller, int(e.Index-1), err); err != nil {
		e.Fail(err)
		e.Mark = 0
		return false
	}
	return true
}

func (e *visitingSeq[T]) Visit(w *call.Worker, first int, items []T) error {
	for i, v := range items {
		if err := e.f(e.Context(), v); err != nil {
			if err := e.errs.take(w, first+i, err); err != nil {
				return err
			}
		}
	}
	return nil
}
