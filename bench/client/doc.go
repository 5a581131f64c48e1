// Command client asks an API for as much as it can with many workers, and the API
// answers 429 to what is too much at once. It compares fixed numbers of requests
// at a time with the number that httplimit's Transport finds by itself:
//
//	go run ./client                         # 50 workers, 20 requests at a time
//	go run ./client -service 100ms -spread 1 -retry-after 1
//	go run ./client -cap2 40 -for 60s       # the API takes twice as much from half-time on
//
// Everything is real but the work: an HTTP server and a client on the loopback
// interface, and a handler that sleeps. For each number, and for ours, it prints
// the answers a second, as a share of the best fixed number's, and the share of
// the requests that were refused, both in all and after the first five seconds.
// The fixed numbers come before and after ours, each for some seconds, in the
// same run.
package main
