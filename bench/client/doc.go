// Command client asks an API for as much as it can with many workers, and the API
// answers 429 to what is too much at once. It compares fixed numbers of requests
// at a time with the number that httplimit's Transport finds by itself:
//
//	go run ./client                         # 50 workers, 20 requests at a time
//	go run ./client -service 100ms -spread 1 -retry-after 1
//	go run ./client -cap2 40 -for 60s       # the API takes twice as much from half-time on
//	go run ./client -suite 3                # a table of services, each three times
//	go test ./client -run VirtualTable -v -virtual 7   # the same in virtual time
//
// Everything is real but the work: an HTTP server and a client on the loopback
// interface, and a handler that sleeps. First it prints, for each fixed number, the
// answers a second and the share of the requests that were refused. Then the best of
// those that are refused 2 % at most and ours run at the same time, each against an
// API of its own, so that both have the same machine: the ratio of the two is what
// counts, in all and without the first five seconds, in which the search knows
// nothing. Who asks with a fixed number and is refused asks again after 20 ms, whatever
// the refusal says. (Beside one that asks on and on, 30,000 times a second, it measures who
// gets the CPUs.)
package main
