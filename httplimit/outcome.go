package httplimit

import (
	"context"
	"errors"
	"net/http"

	"github.com/sweetspot-go/sweetspot"
)

// ResponseOutcome maps the result of a RoundTripper to an outcome:
//
//   - [sweetspot.Overloaded]: 429 Too Many Requests, 503 Service Unavailable, 504
//     Gateway Timeout, and errors that are timeouts, deadlines of the request's context
//     included;
//   - [sweetspot.Ignored]: every other error and every other status from 500 on,
//     because a quick failure must not look fast, and a request that was cancelled;
//   - [sweetspot.Done]: the rest. 404 is a normal answer.
func ResponseOutcome(resp *http.Response, err error) sweetspot.Outcome {
	switch {
	case err != nil:
		return errorOutcome(err)
	case resp == nil:
		return sweetspot.Ignored
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return sweetspot.Overloaded
	}
	if resp.StatusCode >= 500 {
		return sweetspot.Ignored
	}
	return sweetspot.Done
}

// errorOutcome is the part of ResponseOutcome that looks at errors.
func errorOutcome(err error) sweetspot.Outcome {
	if e, ok := errors.AsType[*endedError](err); ok {
		err = e.by
	}
	var t interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout() {
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}
