package httplimit

import (
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// refusal reports whether resp says that the request was turned away without
// any effect, so that it may be sent again.
func refusal(req *http.Request, resp *http.Response) bool {
	if resp == nil {
		return false
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return repeatable(req)
	}
	return false
}

// repeatable reports whether doing req twice is the same as doing it once, by
// RFC 9110, section 9.2.2, or because the caller says so.
func repeatable(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"] // net/http takes a key without values as idempotent and does not send it
	_, old := req.Header["X-Idempotency-Key"]
	return key || old
}

const (
	// firstRetry is what a slightly overloaded service needs.
	firstRetry = 100 * time.Millisecond
	// drained bytes of a refusal are read, because the connection can only be
	// used again after the end of the body. More than some words is not worth
	// waiting for, and neither is a body of unknown length, which may be an
	// endless stream.
	drained = 4 << 10
	// drainTime is long compared with the rest of an answer that is on its way, and
	// shorter than the least wait for the next attempt. A longer wait would cost more
	// than a new connection.
	drainTime = 50 * time.Millisecond
)

// again waits until req, refused with resp, is due again and returns it with a
// fresh body, or nil if it cannot be sent again.
func (t *Transport) again(h *host, req *http.Request, resp *http.Response, attempt int) (*http.Request, error) {
	hasBody := req.Body != nil && req.Body != http.NoBody
	if hasBody && req.GetBody == nil {
		return nil, nil
	}
	longest := orDefault(t.MaxPause, defaultMaxPause)
	d := min(firstRetry<<min(attempt, 20), longest)
	d = d/2 + rand.N(d/2+1) // so that those refused together do not come together
	if after := retryAfter(resp.Header); after > 0 {
		d = min(after, longest)
	}
	d = max(d, h.pause.Left())
	if deadline, ok := req.Context().Deadline(); ok && time.Until(deadline) <= d {
		return nil, nil
	}
	again := req
	if hasBody {
		var fresh io.ReadCloser
		var err error
		orClose(resp, func() { fresh, err = req.GetBody() })
		if err != nil || fresh == nil {
			return nil, nil
		}
		again = req.WithContext(req.Context()) // a copy: the caller's must not be changed
		again.Body = fresh
	}
	if resp.Body != nil {
		drain(resp)
	}
	if err := pause.Sleep(req.Context(), d); err != nil {
		if hasBody {
			again.Body.Close()
		}
		return nil, err
	}
	return again, nil
}

// drain reads the rest of a short body, for drainTime at most, and closes it.
func drain(resp *http.Response) {
	defer resp.Body.Close()
	if resp.ContentLength < 0 || resp.ContentLength > drained {
		return
	}
	closed := make(chan struct{})
	late := time.AfterFunc(drainTime, func() {
		defer close(closed)
		resp.Body.Close() // which ends the Read
	})
	defer func() {
		if !late.Stop() {
			<-closed
		}
	}()
	io.CopyN(io.Discard, resp.Body, drained)
}

// orClose calls f, and closes the body of resp if f panics or ends its goroutine,
// because no caller gets resp then.
func orClose(resp *http.Response, f func()) {
	returned := false
	defer func() {
		if !returned && resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
	}()
	f()
	returned = true
}
