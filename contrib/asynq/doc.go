// Package asynqlimit lets a server of github.com/hibiken/asynq run the best number of
// tasks at a time, instead of Config.Concurrency.
//
//	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis:6379"}, asynq.Config{},
//		sweetspot.New(sweetspot.Name("mails")))
//	err := srv.Run(mux)
//
// # What a unit is
//
// A unit is a task, from its permit until the handler returns. The permit is taken
// before the task: the server asks Redis for a task only when it has a permit, as plain
// asynq does when it has one of Concurrency. So a task that this server cannot begin
// stays in its queue, where it has no lease, is not lost with this process, keeps the
// priorities of the queues, and is there for other servers.
//
// asynq has no hook at that place: its processor takes a task as soon as fewer than
// Concurrency run, a number that never changes (processor.go of v0.26.0, lines 113 and 174
// to 176). But it does so by one command of its Redis client, and go-redis has hooks. The
// hook here makes that command, and only that one, wait for a permit. A later asynq may
// take its tasks in another way, which the hook does not see. Then a task waits for its
// permit before its handler is called: the limit holds, but the server holds up to
// Concurrency tasks.
//
// While the queues are empty the server has no permit, except for about a millisecond of
// each [asynq.Config.TaskCheckInterval].
//
// # What stays as it is
//
// Everything else is asynq's: leases and their renewal, retries, archiving, timeouts,
// groups, periodic tasks, the order in which tasks are taken. [asynq.Config.Concurrency]
// becomes an upper bound, if one is set. A lower limit interrupts nothing; the next task
// waits in Redis. Several servers may share a Limiter.
//
// # When something fails
//
//	the handler fails    asynq tries again later; the Limiter maps the error to an
//	                     outcome (see sweetspot.Classify)
//	the handler panics   asynq makes it an error; Ignored
//	its timeout passes   asynq tries again later; the permit stays out until the handler
//	                     returns
//	a worker dies        its tasks come again one to two minutes later, by their leases
//	Redis is away        as in asynq; the permit of a failed command is given back
//	Shutdown             no task is taken any more; running handlers have
//	                     Config.ShutdownTimeout, then their tasks go back to Redis
//
// # Cost
//
// A goroutine and a [sweetspot.Limiter.Do] for each task, and for each look at an empty
// queue, beside the commands of asynq.
//
// # When to use something else
//
//   - Tasks that only compute: Concurrency = number of CPUs, asynq's default.
//   - The service that the tasks call has a known limit: set Concurrency to it.
package asynqlimit
