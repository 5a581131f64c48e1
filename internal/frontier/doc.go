// Package frontier visits every key that can be reached from some roots once.
//
// [Walk] is a job of package call. What has been reached is in a set of package keyset;
// what waits to be visited, the frontier, is on the stacks of the workers and in a queue.
// A small walk is a depth-first search by the caller, without locks. Once helpers pay,
// workers move surplus keys to the queue; where that did not pay, as in a chain, the
// caller goes on alone.
package frontier
