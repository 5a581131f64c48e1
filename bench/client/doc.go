// Command client asks services that answer 429 to what is too much at once. It compares
// fixed numbers of requests at a time with the number that httplimit's Transport finds:
//
//	go run ./client -rounds 3                  # the table, on loopback
//	go run ./client -only retry,server50       # some of the services; -h lists them
//	go test ./client -run VirtualTable -v -virtual 7   # the same in virtual time
//
// Everything is real but the work: an HTTP server and a client on the loopback
// interface, and a handler that sleeps. All fixed numbers and ours run at the same time,
// each against a service of its own, so that all have the same machine. The best fixed
// number is one that is refused 2 % at most; the ratio of ours to it is what counts, in all
// and without the first five seconds, in which the search knows nothing. A worker with a
// fixed number that is refused asks again after 20 ms, whatever the refusal says.
package main
