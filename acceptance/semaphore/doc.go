// Package semaphore holds the semaphore of package limit to a sequential model, in two
// ways. It has tests only. They need github.com/anishathalye/porcupine, which looks for an
// order of the calls, one after the other, that explains what all of them returned
// (linearizability).
//
// Random programs run on real threads, and small ones in every order of their atomic steps.
// For the latter, limit itself is compiled with its atomics, mutex and channels replaced by
// those of the package schedule, so what is explored is the code, not a copy. Deliberate
// faults in limit must be found.
//
// Longer forms:
//
//	go test -count 1 -run TestHistories . -args -histories 100000
//	go test -count 1 -run Interleavings -v . -args -long
package semaphore
