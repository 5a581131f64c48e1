// Command overload sends a server more requests than it can serve, up to ten times
// as many, and says what its clients get: with httplimit's Server and its law for
// servers, with the same Server and other laws, and with failsafe-go's adaptive
// limiter.
//
//	go run ./overload                           # everything: about six minutes
//	go run ./overload -only sweetspot -step 3s
//	go run ./overload -slots 40 -time 200ms -cv 1   # 2,000 requests a second at the end
//
//	go run ./overload -hammer 16,600 -only sweetspot # clients that ask again at once, as wrk does
//
// Everything is real but the work: an HTTP server and clients on the loopback
// interface, and a handler that takes one of some slots, in first-come order, and
// sleeps, so that the CPUs are not the bottleneck. Requests arrive in a Poisson
// process, the same for all, whatever becomes of those before; at most 2,000 a
// second, or the program refuses to begin. Each has a deadline.
//
// After some seconds at 0.8 of the capacity come the loads of 0.5, 0.8, 1, 2, 5 and
// 10 times the capacity, a step each. A response is good if it is a success and
// comes within three times what 99 in 100 requests take without a load; goodput is
// these per second, over the capacity. Then, at five times the capacity, half of the
// slots are taken away for two steps and given back for two. Told is how long it
// takes until the median limit of a second is within 0.8 to 1.5 times the slots
// there are, and the good responses of that second are at least 0.8 of what these
// can do.
//
// With -hammer the load is closed: so many clients ask again as soon as they have an answer
// or a refusal. The server is a process of its own. Each request waits for 5 ms and
// computes for 2 ms on the CPUs that the clients use, too.
package main
