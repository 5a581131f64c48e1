// Package limit provides an elastic semaphore: a semaphore whose limit can change while
// it is in use. It is the actuator of the feedback loop: a controller decides how many
// units of work may run at once, and the semaphore enforces it.
//
//	s := limit.New(4)
//	if err := s.Acquire(ctx); err != nil {
//		return err
//	}
//	defer s.Release()
//	work()
//
// # Guarantees
//
//   - Exact. A permit is granted only while fewer than Limit are out. That holds across
//     [Semaphore.SetLimit] too: once a lower limit is set, no caller is admitted above
//     it. SetLimit revokes nothing: permits that are out stay out until they are
//     released, so Counters.InFlight may exceed Counters.Limit for a while.
//   - First in, first out. While callers wait, a released permit goes to the one that
//     has waited longest, and a newcomer queues even if a permit is free at that
//     moment.
//   - Nothing is lost. If a waiter gives up while it is granted a permit, it keeps the
//     permit, and Acquire returns nil.
//   - A change of the limit wakes exactly the waiters that fit.
//   - Cheap. With a permit free and no waiters, Acquire and Release are one atomic
//     operation each, allocate nothing and read no clock.
//   - It starts no goroutine, has no package-level state and needs no Close. Waiting in
//     Acquire is durably blocking in the sense of testing/synctest.
//
// # What it measures
//
// [Semaphore.Counters] gives a controller the limit in force, the units in flight, the
// waiting callers, the completed units, and for how long any caller had to wait. A
// limit that holds no caller back teaches nothing about a higher one. All figures are
// of the same instant.
//
// Give a permit back with [Semaphore.Cancel] instead of [Semaphore.Release] if the unit
// should not count as completed. A worker that goes on to the next unit keeps its
// permit with [Semaphore.Renew], which counts the unit and reports whether there are
// too many workers for the limit.
//
// # How it works
//
// Available permits, completed units and a waiter bit share one 64-bit word (see
// word.go). While the bit is clear, callers touch nothing else. A caller that finds no
// permit sets the bit under a mutex and queues. From then on every Release takes the
// mutex and hands its permit over, until the queue is empty again. Many locks keep
// counters in one word and a queue for the contended case. The idea of a semaphore with
// a moving limit for this purpose is from "GopherCon 2019: Optimization for Number of
// goroutines Using Feedback Control" by Yusuke Miyake.
//
// # When not to use it
//
// If the limit never changes and you never look at the queue, a buffered channel will
// do. If units have different weights, use a Budget of package sweetspot, or
// golang.org/x/sync/semaphore.
package limit
