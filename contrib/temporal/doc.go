// Package temporallimit finds how many activities a Temporal worker should run at a
// time, and runs no more.
//
//	tuner := &temporallimit.Tuner{Activities: sweetspot.New(sweetspot.Name("orders"),
//		sweetspot.Controller(control.NewOverload(control.NewLatency())))}
//	w := worker.New(client, "orders", tuner.Tune(worker.Options{}))
//
// Without it, a worker has a fixed number of slots, 1000 by default, or the number
// chosen by the SDK's resource tuner. The tuner knows the CPUs and the memory of the
// machine, but not what the activities wait for. A Limiter sees how many of them end,
// how long they take and which fail because of overload. The law [control.NewLatency]
// suits workers as it suits servers; a zero [Tuner] uses it.
//
// # What a unit is
//
// A unit is an activity, from when its slot gets a task until the worker has reported
// the result. Polls are not units. An idle worker holds a slot for each poll that it
// waits in, but its Limiter has nothing in flight, and sleeps. A poll counts as in
// flight for its first 250 ms only: while tasks are waiting it takes one round trip to
// the server; after that it is idle.
//
// An interceptor that [Tuner.Tune] adds maps the error of an activity to an outcome;
// see [ErrorOutcome]. An activity that panics or that the worker does not know is
// [sweetspot.Ignored]. So are empty polls, so a Limiter has more of those than
// activities failed.
//
// # What the limit holds back
//
// The slots in use and the idle ones together do not exceed the limit. But if one
// Limiter serves several task queues (the workers of a process, sessions, local
// activities), the idle polls of one do not keep the others from their tasks. So a burst
// can exceed the limit by as many tasks as other queues have idle polls. None has more of
// these than pollers, or than the limit.
//
// A lower limit revokes no slot. Tasks that arrive at polls in progress run even if
// they are then too many; no new slot is given out until the number fits.
//
// # Pollers
//
// A worker gets its tasks by MaxConcurrentActivityTaskPollers polls at a time, 2 by
// default, or by as many as ActivityTaskPollerBehavior says. Each brings one. If an
// activity takes less time than a poll, they are the bottleneck: the Limiter finds that a
// higher limit gains nothing, and stays. Give short activities more pollers.
//
// # Worker options that go with it
//
//	MaxConcurrentActivityExecutionSize       sweetspot.Max: a bound, if one is known
//	MaxConcurrentLocalActivityExecutionSize  Tuner.LocalActivities, or nothing
//	MaxConcurrentWorkflowTaskExecutionSize   Tuner.Workflows
//	MaxConcurrentNexusTaskExecutionSize      Tuner.Nexus
//	WorkerActivitiesPerSecond                unchanged; the limit applies in addition
//	TaskQueueActivitiesPerSecond             unchanged
//	WorkerStopTimeout                        unchanged: with 0, Stop does not wait, and
//	                                         the slots in use are released after it
//
// Each worker has its own Limiter, and together they find their shares of a common
// service. To bound all workers together, use TaskQueueActivitiesPerSecond.
//
// # Cost
//
// About 3 µs and eight allocations per activity, beside its two calls of the service.
//
// # When to use something else
//
//   - The activities only compute: use GOMAXPROCS slots.
//   - The service that they call has a known limit, such as a pool of connections: use
//     that number of slots.
//   - They wait for days (activity.ErrResultPending) or are all different: their times
//     teach nothing.
package temporallimit
