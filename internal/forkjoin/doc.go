// Package forkjoin runs recursions that divide their work in two on several
// goroutines.
//
// It schedules by heartbeats, on private deques. A promotable [Join] pushes its
// second half on the deque of its own [Joiner], which costs no synchronisation. Now
// and then a Join looks at the clock; if a goroutine is free and the oldest half has
// waited for long enough, that half is promoted: it becomes a fork there. See Acar,
// Charguéraud and Rainey, "Scheduling parallel programs by work stealing with private
// deques" (2013), and Acar, Charguéraud, Guatto, Rainey and Sieczkowski, "Heartbeat
// scheduling: provable efficiency for nested parallelism" (2018).
//
// Most Joins are plain (see [Joiner.Plain]): they count, and call their halves one
// after the other, without a deferred function. A Join is promotable if it is expected
// to take long enough for its second half to move, or if a look is due. What Joins
// should take is known from their surroundings: half as much as the one around them, or
// as much as the half or the Join before them took. Where a large half comes after a
// small one, that is wrong; then a Join that looks and takes longer than guessed makes
// the next one promotable, and so on to the large ones.
package forkjoin
