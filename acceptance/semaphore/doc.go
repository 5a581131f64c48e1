// Package semaphore holds the semaphore of package limit to a sequential model, in two
// ways. It has tests only. They need github.com/anishathalye/porcupine, which looks for an
// order of the calls, one after the other, that explains what all of them returned
// (linearizability).
//
//   - model_test.go is the model: what limit promises, in one page.
//   - program_test.go is the language of small concurrent programs, and what runs them and
//     records a history.
//   - histories_test.go runs random programs on real threads, with a limit.Semaphore and
//     with a sweetspot.Limiter.
//   - explore_test.go runs small programs in every order of their atomic steps. It
//     compiles limit itself with its atomics, mutex and channels replaced by those of the
//     package schedule (rewrite_test.go), so what is explored is the code, not a copy.
//   - mutants_test.go lists wrong steps of limit. Each must be found.
//
// Longer forms:
//
//	go test -count 1 -run TestHistories . -args -histories 100000
//	go test -count 1 -run Interleavings -v . -args -long
package semaphore
