// Package queue is the command "sweetspot queue": it runs the jobs of a list on any
// number of machines, over NATS JetStream. What it promises its users is in the README
// of the command; this is how it keeps that.
//
//	values → push → stream of jobs → Consume, under a Limiter → run.Executor
//	                     ↑ retry-failed              ↓
//	                  results ←────────── bucket of records, one key a job
//
// A [queue] is a stream, its consumer and a bucket. A [worker] hands each message to an
// [run.Executor], which runs it as sweetspot run would, and records how it ended.
//
// # One result for each job
//
// The number of a job is that of its message in the stream, and the key of its result.
// A worker creates that key before it acknowledges the message; that fails if the key exists.
// If anything dies in between, the message comes again, and meets the result. So a job that was
// running when its worker died may run twice, but has one result. The worker does not wait for
// the acknowledgement to arrive: a lost one does no harm, because messages that come again are
// looked up first. So is every message once the server has been away, because a server that is
// killed forgets some of its deliveries.
//
// The server counts deliveries. Which of them were failures is kept in another bucket, whose keys
// do not expire: see [queue.tries], and Failures of contrib/nats. Long output of a job goes from its
// files to an object store, piece by piece, before the record that names the pieces.
//
// A job that has failed for good is recorded in the same way. Before that, another key is written, by
// which failed jobs are found: see [queue.failed]. retry-failed changes a record by compare
// and swap of its revision, and a round number tells old messages from new.
//
// # Who waits
//
// Every request goes through try of the [connection]. If the server is away, all wait for it. If its
// store is full, only workers wait. try reports both.
//
// # How many workers
//
// Workers announce themselves by contrib/nats, and its Scale decides how many there should be.
// queue scale has a [crew] of processes of queue work. Each ends when its stdin does: when it is
// not needed any more, and when its scale is gone.
//
// # Who serves
//
// Without a server of your own, the first process that needs a [home] serves it: the one that holds
// the lock on a file of the home, which ends with its process. Each attempt to connect takes the lock
// if it is free, so that the queues outlive any of their users. The server proves by TLS that it
// has the home's secret: see [home.prove]. While it reads a large store, a file says so to those who
// wait.
//
// # What is on the disk
//
// NATS confirms what it has written to a file; the disk has it later. What must survive a crash of
// the server's machine is flushed: by push before it returns, by a worker between the record and the
// acknowledgement. [queue.durably] asks for that, and [disk] does it. A home may turn it off: see
// [settings]. Then a power failure may lose a result and not its job: see [queue.complete].
//
// Acknowledgements and the removal of jobs are not flushed. After a restart of the machine, what is
// left of them is put in order before anybody reaches the server: see [home.afterRestart]. If the
// confirmation of a push is lost with a server, the next server knows the push by the records: see
// [sending].
//
// # Who may do what
//
// A home has a key for each role: see [home.users]. If NATS has no right that is narrow enough for a
// role, the [service] beside the server acts for it.
package queue
