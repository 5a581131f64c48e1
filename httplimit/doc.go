// Package httplimit limits how many HTTP requests are under way at a time, to a
// number that it finds by itself.
//
// # Clients
//
// A [Transport] is for those who send requests:
//
//	client := &http.Client{Transport: &httplimit.Transport{}}
//
// Let as many goroutines send as there is work; each host gets as many requests
// at a time as do well there, by a [sweetspot.Limiter] of its own. What the host
// answers with 429 or 503, or not in time, makes the number smaller. A Retry-After
// holds back the request that it answers, and the others only where the host refuses
// all that is under way. A number that brings no more answers than a smaller
// one gives way to that as well.
//
// # Servers
//
// A [Server] is for those who answer them:
//
//	var s httplimit.Server
//	http.ListenAndServe(addr, s.Wrap(handler))
//
// It admits as many requests to the handler at a time as keep it busy without a
// queue inside, by [control.Latency]; lets a few wait, not for long; and refuses the
// rest at once with 503 and a Retry-After. So a server that is asked for ten times
// what it can do still does what it can, and those whom it answers are answered in
// time. Priorities say who is refused last.
//
// What the handler answers does not lower the number, 429 and 503 included, and what
// Classify calls an overload counts only where most clients have it: see Peer.
//
// The number follows from how long requests take: with a handler that answers some of
// them in a millisecond and others in a second give each kind a Server of its own, or
// the number fits the mix of the moment.
//
// A permit ends when the wrapped handler returns. That of an [http.TimeoutHandler] returns
// at the timeout, while the handler inside goes on: put the TimeoutHandler outside, as
// in http.TimeoutHandler(s.Wrap(h), d, ""), or more than the limit run at a time.
package httplimit
