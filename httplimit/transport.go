package httplimit

import (
	"net/http"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A Transport is an [http.RoundTripper] that limits the requests in flight per host.
// Each host has a [sweetspot.Limiter] of its own, which finds the best number. The zero
// Transport is ready to use:
//
//	client := &http.Client{Transport: &httplimit.Transport{}}
//
// Before it is sent, a request waits for its permit, first come, first served, as long
// as its context allows. It holds the permit until the body of its response has been
// read to the end or closed. A body that is never closed holds it for ever, even after
// the end of its context, when net/http gives up the connection. So a goroutine that
// sends another request to a host while it has a body of that host open may wait for
// itself: read the body first. The permit of a connection that was switched to another
// protocol (101) is given back at once.
//
// [ResponseOutcome] defines the outcomes: 429, 503, 504 and timeouts are overloads, and
// cut the limit. A refusal also has these effects:
//
//   - While other requests are in flight, no new one is sent until one of them has
//     ended, for 30 ms. Then one more is allowed, two more, and so on. If that is
//     refused, the wait doubles each time, up to the Retry-After. So a refusal costs
//     its own place and not all of them. What the host took is remembered: of a burst
//     after a pause, too, only the first request above it is refused.
//   - If no other request is in flight, because the host refuses everything, no request
//     is sent to it before the time of the Retry-After, at most MaxPause away.
//   - Without a Retry-After, repeated refusals make the host pause as well: refusals of
//     requests that were sent after an earlier refusal, with no success in between. The
//     pause is 5 ms at first, and doubles each time, up to 1 s. Refusals come quickly,
//     and without a pause the next request would be refused as well.
//   - With Retries, the request is sent again, not before its own Retry-After is over.
//
// If the context of a waiting request is done, its error is the context's cause; the
// request was not sent.
//
// Any number of goroutines may use a Transport. The fields must not be changed after
// its first use. It starts no goroutine and needs no Close.
//
// It costs about 0.5 µs and one allocation per request, for the body.
type Transport struct {
	// Base sends the requests; nil is [http.DefaultTransport]. Set its
	// MaxIdleConnsPerHost as high as the limits that may be found. Otherwise
	// connections are dialled again and again: the default is 2.
	Base http.RoundTripper

	// NewLimiter returns the Limiter of a host that is new, or that was forgotten. The
	// host is that of the URL, in lower case and without its scheme's default port. It
	// may return one Limiter for several hosts. But then a host that refuses some
	// requests holds up the others: a request that waits there until another one ends,
	// at most MaxPause, holds a permit. It may return nil for hosts without a limit;
	// then only refusals limit requests, and Retries apply to them too. The same holds for
	// a request whose context carries a permit of the Limiter (see
	// [sweetspot.Limiter.Do]): it is a part of that unit. Several goroutines may call
	// NewLimiter at a time, also for one host, whose first Limiter is then kept, and it
	// may call the Transport's Limiter. nil is sweetspot.New(sweetspot.Name(host)).
	NewLimiter func(host string) *sweetspot.Limiter

	// Classify returns the outcome of a request; nil is [ResponseOutcome], to which it
	// may also pass what it does not know. It must not read the body. Use errors.Is and
	// errors.As: the error of a request whose context has ended is wrapped. It may then be
	// both context.Canceled and DeadlineExceeded, the one as the cause of the other:
	// ResponseOutcome knows how the context ended.
	Classify func(*http.Response, error) sweetspot.Outcome

	// Retries is how often a refused request is sent again: after 429, and after 503 if
	// it is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE, or with an
	// Idempotency-Key). Its body must be repeatable (http.Request.GetBody, which
	// http.NewRequest sets for the usual readers). Each time it waits as long as the
	// Retry-After says, or, if that names no future time, 50 to 100 ms, doubled each
	// time. Then it queues for a new permit. It is not sent again if its deadline would
	// pass before. The result is that of the last attempt. 0, the default, leaves
	// retries to the caller.
	Retries int

	// MaxPause is the longest Retry-After that is heeded; 30 s if 0.
	MaxPause time.Duration

	// MaxHosts bounds the number of remembered hosts; 1000 if 0. A new host replaces
	// the one that was idle for longest, and one that pauses only where no other is
	// idle; hosts with requests in flight are never forgotten.
	MaxHosts int

	// IdleTimeout is how long a host, and what was learnt about it, is remembered after
	// its last request and a pause after it; 10 min if 0.
	IdleTimeout time.Duration

	hosts hosts
}

// RoundTrip sends req when there is a permit for its host; see [Transport].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return t.base().RoundTrip(req) // which says what is wrong
	}
	h := t.hosts.enter(t, hostOf(req.URL))
	for attempt := 0; ; attempt++ {
		resp, refused, err := t.send(h, req)
		if !refused || attempt >= t.Retries {
			return resp, err
		}
		again, err := t.again(h, req, resp, attempt)
		if err != nil {
			return nil, err
		}
		if again == nil {
			return resp, nil
		}
		h = t.hosts.enter(t, hostOf(req.URL))
		req = again
	}
}

// send sends req with a permit of h, and leaves h when that is given back.
// Refused says that another attempt may do better.
func (t *Transport) send(h *host, req *http.Request) (resp *http.Response, refused bool, err error) {
	f := flight{t: t, h: h, ctx: req.Context(), outcome: sweetspot.Ignored}
	held := true // by this call, not by a body
	defer func() {
		if held { // a panic or a Goexit as well
			f.end(f.outcome)
		}
	}()
	if err := f.admit(); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, false, err
	}
	seen := h.pause.Refusals()
	resp, err = t.base().RoundTrip(req)
	f.outcome = f.judge(resp, err)
	switch {
	case f.outcome == sweetspot.Done:
		h.pause.Succeeded()
	case f.outcome == sweetspot.Overloaded && err != nil:
		f.refused(seen, nil)
	case f.outcome == sweetspot.Overloaded:
		f.refused(seen, resp)
	}
	if err != nil || resp == nil || resp.Body == nil || resp.Body == http.NoBody {
		return resp, err == nil && refusal(req, resp), err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		f.outcome = sweetspot.Ignored
		return resp, false, nil
	}
	held = false
	resp.Body = &body{ReadCloser: resp.Body, flight: f}
	return resp, refusal(req, resp), nil
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

// CloseIdleConnections closes the idle connections of Base, if Base supports that.
// Limiters and what they have learnt stay.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Limiter returns the Limiter of a host, named as NewLimiter gets it, or nil if the
// host has none, is not known or was forgotten.
func (t *Transport) Limiter(host string) *sweetspot.Limiter { return t.hosts.limiter(host) }

// orDefault returns d, or standard where d is not set.
func orDefault[T time.Duration | int](d, standard T) T {
	if d <= 0 {
		return standard
	}
	return d
}
