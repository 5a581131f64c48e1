// Package riverlimit lets a client of github.com/riverqueue/river work the best number
// of jobs at a time. It is a middleware: jobs that the client has fetched wait in it for
// a permit of a Limiter.
//
//	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
//		Queues:          map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}},
//		Middleware:      []rivertype.Middleware{riverlimit.NewMiddleware(sweetspot.New())},
//		SoftStopTimeout: 20 * time.Second,
//		Workers:         workers,
//	})
//
// # What a unit is
//
// A unit is a job, from its permit until its worker returns. Permits are granted first
// come, first served, so batches begin in the order in which river fetched them. Queues
// and clients that share the middleware share the limit. A lower limit interrupts
// nothing; the next jobs wait.
//
// # Why the gate is behind the fetch
//
// river fetches jobs in batches: one per FetchCooldown at most, 100 ms by default, with as
// many jobs as MaxWorkers has room for (v0.51.1: producer.go, lines 689 to 718 and 1047).
// MaxWorkers is fixed while a queue runs. Nothing that river lets its users implement makes
// a batch smaller (rivershared/riverpilot/pilot.go, line 17: "DO NOT USE"). A queue can
// only be removed and added again, which waits for all of its jobs (client.go, Remove). So
// this package does not touch the fetch. Short jobs gain by that: with 20 ms a job and a
// batch each 100 ms, MaxWorkers 8 works 80 jobs a second, though the service behind could
// do 400. A batch of 100 keeps 8 permits busy.
//
// # MaxWorkers
//
// MaxWorkers then says how many jobs the client holds, running and waiting. It bounds
// the limit. At least as many as end during a FetchCooldown should wait, or else permits
// lie idle: limit + jobs per second × FetchCooldown. More has a price. A job that waits
// here:
//
//   - is in state running, so no other client can work it, and one of a better priority
//     does not overtake it;
//   - comes again after a crash only when the rescuer finds it, after
//     RescueStuckJobsAfter, an hour by default, and the crash counts as an attempt. The
//     wait must be much shorter than that;
//   - holds up Stop until it has been worked, or until SoftStopTimeout. Then river puts it
//     back as available, and does not count the attempt. Set SoftStopTimeout.
//
// The wait is not part of JobTimeout, which begins with the permit.
//
// # When something fails
//
//	the worker fails     river tries again later; the Limiter maps the error to an
//	                     outcome (see sweetspot.Classify). So it does with JobSnooze and
//	                     JobCancel: Ignored
//	the worker panics    river makes it an error; Ignored
//	a job is cancelled   one that waits ends at once
//	a client dies        its jobs come again after RescueStuckJobsAfter
//	PostgreSQL is away   as in river
//
// # Cost
//
// One [sweetspot.Limiter.Do] for each job, beside its queries.
//
// # When to use something else
//
//   - Jobs of minutes: a fixed MaxWorkers holds none in advance.
//   - Jobs that only compute: MaxWorkers = number of CPUs.
package riverlimit
