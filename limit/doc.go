// Package limit provides an elastic semaphore: a semaphore whose limit can be
// changed while it is in use. It is the actuator of the feedback loop: a
// controller decides how many units of work may run at once, and the semaphore
// makes it so.
//
//	s := limit.New(4)
//	if err := s.Acquire(ctx); err != nil {
//		return err
//	}
//	defer s.Release()
//	work()
//
// # What it promises
//
//   - Exact. A permit is handed out only while fewer than Limit are out. That
//     holds across [Semaphore.SetLimit] too: once a lower limit is set, nobody
//     is admitted above it. It takes nothing back: the permits that are out
//     stay out until they are released, so Counters.InFlight may exceed
//     Counters.Limit for a while.
//   - First in, first out. While somebody waits, a released permit goes to the
//     one who waits longest, and a newcomer queues even if a permit is free at
//     that moment.
//   - Nothing is lost. A permit that is handed over while its receiver gives up
//     is kept by the receiver, and Acquire says so by returning nil.
//   - A change of the limit wakes exactly those who fit.
//   - Cheap. With a permit free and nobody waiting, Acquire and Release are one
//     atomic operation each, allocate nothing and read no clock.
//   - It starts no goroutine, has no package-level state and needs no Close.
//     Waiting in Acquire is durably blocking in the sense of testing/synctest.
//
// # What it measures
//
// [Semaphore.Counters] gives a controller the limit in force, the units in
// flight, the callers waiting, the units completed, and for how long somebody
// had to wait: a limit that holds nobody back teaches nothing about a higher
// one. All figures are of the same instant.
//
// Give a permit back with [Semaphore.Cancel] instead of [Semaphore.Release] if
// the unit should not count as completed. A worker that goes on to the next unit
// keeps its permit with [Semaphore.Renew], which counts the unit and says when
// there are too many workers for the limit.
//
// # How it works
//
// Available permits, completed units and a bit that says whether anybody waits
// share one 64-bit word (see word.go). As long as the bit is clear, callers
// touch nothing else. The one who finds no permit sets it under a mutex and
// queues; from then on every Release takes the mutex and hands its permit over,
// until the queue is empty again. The technique of keeping counters in one word
// and a queue for the contended case is that of many locks; the idea of a
// semaphore with a moving limit for this purpose is from "GopherCon 2019:
// Optimization for Number of goroutines Using Feedback Control" by Yusuke
// Miyake.
//
// # When not to use it
//
// If the limit never changes and its queue is never looked at, a buffered
// channel does. If units have different weights, use
// golang.org/x/sync/semaphore.
package limit
