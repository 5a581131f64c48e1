// Package client compares, in virtual time, fixed numbers of requests at a time with the
// number that httplimit's Transport finds, at services that answer 429 to what is too much at
// once:
//
//	go test ./client -run VirtualTable -v -virtual 7
//
// The Transport, the law and the Server are real; handlers sleep, and requests are function
// calls. All fixed numbers and ours run at the same time, each against a service of its own.
// The best fixed number is the quickest of those of whose requests at most 2 % are refused. The
// result is the ratio of ours to it, with and without the first five seconds, in which the
// search knows nothing. With a fixed number, a refused request is sent again after 20 ms,
// whatever the refusal says.
package client
