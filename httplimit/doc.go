// Package httplimit limits how many HTTP requests are in flight at a time. It finds the
// number by itself.
//
// # Clients
//
// A [Transport] is for programs that send requests:
//
//	client := &http.Client{Transport: &httplimit.Transport{}}
//
// Let as many goroutines send as there is work. Each host gets a [sweetspot.Limiter] of
// its own, which finds the best number of requests at a time. Answers with 429 or 503,
// and late answers, lower it. A Retry-After delays the request that it answers; it
// delays others only if the host refuses everything in flight. A number that brings no
// more answers than a smaller one is lowered, too.
//
// # Servers
//
// A [Server] is for programs that answer requests:
//
//	var s httplimit.Server
//	http.ListenAndServe(addr, s.Wrap(handler))
//
// With [control.Latency] it admits as many requests at a time as keep the handler busy
// without a queue inside it. It lets a few wait briefly, and refuses the rest at once
// with 503 and a Retry-After. So a server with ten times its load still does what it
// can, and answers what it admits in time. Priorities decide which requests are refused
// last.
//
// The handler's answers, 429 and 503 included, do not lower the number. What Classify
// calls an overload counts only if most clients have it: see Peer.
//
// The number follows from how long requests take. If a handler answers some in a
// millisecond and others in a second, give each kind a Server of its own; otherwise the
// number fits the mixture of the moment.
//
// A permit ends when the wrapped handler returns. An [http.TimeoutHandler] returns at
// the timeout, while the handler inside goes on. So put the TimeoutHandler outside, as
// in http.TimeoutHandler(s.Wrap(h), d, ""); otherwise more requests than the limit may
// run at a time.
package httplimit
