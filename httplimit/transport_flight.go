package httplimit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A flight is one attempt at a request: its permit and its place under the ceiling, until
// they are given back.
type flight struct {
	t       *Transport
	h       *host
	ctx     context.Context // of the request
	unit    sweetspot.Unit
	begun   bool // unit is valid: a permit is held
	placed  bool // a place under the ceiling is held
	outcome sweetspot.Outcome
}

// admit waits until the host may be asked and a permit is there.
func (f *flight) admit() error {
	h := f.h
	for {
		if err := h.pause.Wait(f.ctx); err != nil {
			return err
		}
		if l := h.limiter; l != nil && !l.Holds(f.ctx) {
			u, err := l.Begin(f.ctx)
			if err != nil {
				return err
			}
			f.unit, f.begun = u, true
		}
		err := h.ceiling.enter(f.ctx)
		if err == nil && h.pause.Left() == 0 {
			// The wait for a place is part of the unit's time. Without it, permits that
			// only wait would look like throughput (Little's law), and the limit would rise.
			f.placed = true
			return nil
		}
		// Or a pause began meanwhile. The request does not hold a permit during
		// it: to the law that would look as if requests had become slow.
		if f.begun {
			f.begun = false
			f.unit.End(sweetspot.Ignored, 1)
		}
		if err != nil {
			return err
		}
		h.ceiling.leave(false)
	}
}

// judge returns the outcome of what Base returned.
func (f *flight) judge(resp *http.Response, err error) (o sweetspot.Outcome) {
	err = f.explain(err)
	classify := f.t.Classify
	if classify == nil {
		return ResponseOutcome(resp, err)
	}
	orClose(resp, func() {
		o = classify(resp, err)
		if o > sweetspot.Overloaded {
			panic(fmt.Sprintf("sweetspot: Transport.Classify returned %d: want Done, Ignored or Overloaded", o))
		}
	})
	return o
}

// explain returns err with the end of the context, if that has ended and err does not say
// so.
func (f *flight) explain(err error) error {
	if err == nil {
		return nil
	}
	by := f.ctx.Err()
	if end, is := f.ctx.Deadline(); by == nil && is && !time.Now().Before(end) {
		by = context.DeadlineExceeded // http.Client.Timeout cancels a request at that time, too
	}
	if by == nil || errors.Is(err, by) {
		return err
	}
	return &endedError{err, by}
}

// An endedError is the error of a request whose context has ended. The error itself may be
// the cause of that, such as the timeout of another request.
type endedError struct {
	error
	by error // DeadlineExceeded or Canceled
}

func (e *endedError) Unwrap() []error { return []error{e.error, e.by} }

// refused takes note that the host said "too much" to a request that was sent when there
// had been seen such answers.
func (f *flight) refused(seen int64, resp *http.Response) {
	var after time.Duration
	if resp != nil {
		after = min(retryAfter(resp.Header), orDefault(f.t.MaxPause, defaultMaxPause))
		f.placed = false
		if f.h.ceiling.refused(after) > 0 {
			after = 0
		}
	}
	f.h.pause.Refused(seen, after)
}

// end gives the permit back.
func (f *flight) end(o sweetspot.Outcome) {
	defer f.t.hosts.leave(f.t, f.h)
	if f.placed {
		f.placed = false
		f.h.ceiling.leave(o == sweetspot.Done)
	}
	if f.begun {
		f.begun = false
		f.unit.End(o, 1)
	}
}

// A body gives the permit of its request back at its end.
type body struct {
	io.ReadCloser
	flight
	ended atomic.Bool // Close may be called while a Read is under way
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		o := b.outcome
		if err != io.EOF && o == sweetspot.Done {
			o = ResponseOutcome(nil, b.explain(err))
		}
		b.finish(o)
	}
	return n, err
}

// Close gives the permit back after it has closed the body, because that tells
// a server that the request is over.
func (b *body) Close() error {
	defer b.finish(b.outcome)
	return b.ReadCloser.Close()
}

func (b *body) finish(o sweetspot.Outcome) {
	if !b.ended.Swap(true) {
		b.end(o)
	}
}
