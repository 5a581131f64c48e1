package httplimit

import (
	"net/http"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A Transport is an [http.RoundTripper] that lets no more requests to a host be
// under way than do well there, and finds that number by itself: each host has
// a [sweetspot.Limiter] of its own. The zero Transport is ready to use:
//
//	client := &http.Client{Transport: &httplimit.Transport{}}
//
// A request waits for its permit, in first-come order, before it is sent, as
// long as its context allows, and holds it until the body of its response has
// been read to the end or closed; a body that is never closed holds it for
// ever, as it holds the connection. A goroutine that asks a host for more while
// it has a body of the same host open may thus wait for itself: read first. The
// permit of a connection that was switched to another protocol (101) is given
// back at once.
//
// What a request tells its Limiter is said at [ResponseOutcome]: 429, 503, 504
// and timeouts are overloads, and cut the limit. What else a refusal does:
//
//   - While others are under way, no more than those others are until one of them
//     has ended, for 30 ms, and then one more, two more …; where that is refused, for
//     twice as long each time, up to what the Retry-After says. So the refusal costs its
//     own place and not those of all; the requests refused together tell the Limiter once.
//   - Where nothing else is under way, as when the host refuses all that was, no request
//     is sent to it before the time that the Retry-After names, at most MaxPause away.
//   - Without a Retry-After, too, refusals of requests that were sent after an earlier refusal
//     and with no success in between make the host pause as well, from 5 ms on,
//     twice as long each time, up to 1 s: a refusal comes quickly, and the
//     next request would meet the next one.
//   - With Retries, the request is sent again, not before its own Retry-After is over.
//
// The error of a request whose context is done while it waits is the context's
// cause; the request was not sent then.
//
// A Transport may be used by any number of goroutines. The fields must not be
// changed after its first use. It starts no goroutine and needs no Close.
//
// It costs some 0.5 µs and one allocation a request, for the body.
type Transport struct {
	// Base sends the requests; nil is [http.DefaultTransport]. Its
	// MaxIdleConnsPerHost should be as large as the limits to be found, or
	// connections are dialled again and again: the default is 2.
	Base http.RoundTripper

	// NewLimiter returns the Limiter of a host that is seen for the first time,
	// or again after it was forgotten. The host is that of the URL, in lower
	// case and without the port that its scheme has anyway. It may return one
	// Limiter for several hosts, but then a host that refuses some of its requests
	// holds up the others: what waits until one of those under way there has ended,
	// at most MaxPause, has a permit. And it may return nil for hosts that shall have
	// none; then requests are limited by refusals only, and Retries hold for them too.
	// It may be called by several goroutines at a time, also for one host, whose
	// first Limiter is then kept, and may call the Transport's Limiter.
	// nil is sweetspot.New(sweetspot.Name(host)).
	NewLimiter func(host string) *sweetspot.Limiter

	// Classify says what became of a request; nil is [ResponseOutcome], to which
	// it may also leave what it does not know. It must not read the body.
	Classify func(*http.Response, error) sweetspot.Outcome

	// Retries is how often a request is sent again that was refused: with 429
	// or, if it may be repeated without harm (GET, HEAD, OPTIONS, TRACE, PUT,
	// DELETE, or with an Idempotency-Key), with 503. It must be possible to send
	// its body again (http.Request.GetBody, which http.NewRequest sets for the
	// usual readers). Each time it waits as long as the Retry-After says or, where
	// that names no time to come, 50 to 100 ms, twice as long each time, and
	// queues for a new permit. It is
	// not sent again if its deadline would pass before. What the last attempt
	// brings is returned. 0, the default, leaves it to the caller.
	Retries int

	// MaxPause bounds what a Retry-After can ask for; 30 s if 0.
	MaxPause time.Duration

	// MaxHosts bounds the number of hosts that are remembered; 1000 if 0. The
	// one that was idle for longest makes room for a new one; hosts with requests
	// under way are never forgotten.
	MaxHosts int

	// IdleTimeout is how long a host is remembered, and what was learnt of it,
	// after its last request; 10 min if 0.
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
	o := f.judge(resp, err)
	switch o {
	case sweetspot.Done:
		h.pause.Succeeded()
	case sweetspot.Overloaded:
		if err != nil {
			o = f.refused(seen, nil)
		} else {
			o = f.refused(seen, resp)
		}
	}
	f.outcome = o
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

// CloseIdleConnections closes the idle connections of Base, if that can. Limiters
// and what they have learnt stay.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Limiter returns the Limiter of a host, named as NewLimiter is told it, or nil
// if it has none, is not known or was forgotten.
func (t *Transport) Limiter(host string) *sweetspot.Limiter { return t.hosts.limiter(host) }

// orDefault returns d, or standard where d is not set.
func orDefault[T time.Duration | int](d, standard T) T {
	if d <= 0 {
		return standard
	}
	return d
}
