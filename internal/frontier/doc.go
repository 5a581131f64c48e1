// Package frontier visits every key that can be reached from some roots once.
//
// [Walk] is a job of package call: its caller and the helpers of the call visit keys,
// and each visit pushes the keys next to its own. What has been reached is in a set of
// package keyset; what waits to be visited, the frontier, is on the stacks of the
// workers and in a queue that they share.
//
// A walk begins in a serial phase: the caller has the set for itself and keeps all keys
// on its stack, so a small walk is a depth-first search without locks. Once helpers pay,
// a shared phase begins: the set gets a lock for each shard, workers move surplus keys
// to the queue, and a worker without keys takes some from there. Where sharing did not
// pay, as in a chain, the walk returns to a serial phase.
//
// The files, each of which uses only those before it:
//
//	queue.go    keys on no stack, and whether more will come
//	walk.go     what the workers share, and what each has
//	spawn.go    when another helper pays, where each key may bring forth others
//	batches.go  keys on their way into the set
//	share.go    the shared phase: its begin and end, and how keys change hands
//	push.go     push, which a visit calls
//	visit.go    the loop over the stack, and chunk boundaries
//	helper.go   the part of a helper
//	caller.go   the part of the caller: roots, then waiting for the end
package frontier
