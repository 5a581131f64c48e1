// Package temporallimit finds how many activities a Temporal worker should run at a
// time, and runs as many.
//
//	tuner := &temporallimit.Tuner{Activities: sweetspot.New(sweetspot.Name("orders"),
//		sweetspot.Controller(control.NewOverload(control.NewLatency())))}
//	w := worker.New(client, "orders", tuner.Tune(worker.Options{}))
//
// Without it, a worker has as many slots as its options say, 1000 by default, or as
// many as the SDK's resource tuner makes it, which knows the CPUs and the memory of
// the machine, but not what the activities wait for. A Limiter sees how many of them
// end, how long they take and which fail for too much load. The law of [control.NewLatency]
// is for workers, as it is for servers: it is what a zero [Tuner] has.
//
// # What a unit is
//
// An activity, from when its slot gets a task until the worker has reported the
// result. Polls are none: a worker that has nothing to do holds a slot for each poll
// that it waits in, but nothing is in flight in its Limiter, which then sleeps. A
// poll counts as in flight for its first 250 ms only, since while tasks are waiting
// it takes as long as the way to the server and back; after that it is idle.
//
// What became of an activity is judged by its error, in an interceptor that
// [Tuner.Tune] adds; see [ErrorOutcome]. An activity that panics or that the worker
// does not know is [sweetspot.Ignored], and so are polls that brought nothing, which
// is why a Limiter has more of those than activities failed.
//
// # What the limit holds back
//
// The slots in use and the idle ones together are no more than the limit. Where one
// Limiter serves several task queues (the workers of a process, sessions, local
// activities), each may have one poll beyond that, or the idle polls of one would
// keep the others from their tasks; so n queues can exceed the limit by n-1.
//
// A lower limit takes no slot back. Tasks that come to polls that are under way run
// even if that is too much by then; no slot is given out until it is no longer.
//
// # Pollers
//
// A worker gets its tasks by MaxConcurrentActivityTaskPollers polls at a time, 2 by
// default, each of which brings one. If an activity takes less time than a poll, they
// are the bottleneck: the Limiter finds that a higher limit gains nothing, and stays.
// Give short activities more pollers.
//
// # Worker options that go with it
//
//	MaxConcurrentActivityExecutionSize       sweetspot.Max: a bound, if one is known
//	MaxConcurrentLocalActivityExecutionSize  Tuner.LocalActivities, or nothing
//	MaxConcurrentWorkflowTaskExecutionSize   Tuner.Workflows
//	MaxConcurrentNexusTaskExecutionSize      Tuner.Nexus
//	WorkerActivitiesPerSecond                as ever; the limit adds to it
//	TaskQueueActivitiesPerSecond             as ever
//	WorkerStopTimeout                        as ever: with 0, Stop does not wait, and
//	                                         the slots in use are released after it
//
// Each worker has its own Limiter, and they find their shares of what they call
// together. What all workers together may do is for TaskQueueActivitiesPerSecond.
//
// # Cost
//
// Some 3 µs and eight allocations for each activity, which takes two calls of the
// service besides.
//
// # When to use something else
//
//   - The activities only compute: GOMAXPROCS slots will do.
//   - What they call has a limit of its own that is known, such as a pool of
//     connections: as many slots.
//   - They wait for days (activity.ErrResultPending) or are all different: there is
//     nothing to be learnt from how long they take.
package temporallimit
