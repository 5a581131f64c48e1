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
// A worker creates that key, which fails if it is there, before it acknowledges the
// message: whatever dies in between, the message comes again, and meets the result. So
// a job may run twice, if it was running when its worker died, but has one result.
// It does not wait for the acknowledgement to arrive: one that is lost is of no account,
// since messages that come again are looked up first. So is every message once a server has
// been away, for one that is killed forgets some of what it has given to whom.
//
// The server counts deliveries; which of them were failures is kept in another bucket, from which
// nothing goes by its age: see [queue.tries], and Failures of contrib/nats. What a job wrote goes from its files to a store of objects where
// it is long, piece by piece, before the record that names them.
//
// A job that has failed for good is recorded in the same way. Before that, another key
// says that there is something to be found: see [queue.failed]. What retry-failed does
// to a record is compared with its revision, and its round tells old messages from new.
//
// # Who waits
//
// Every request goes through try of the [connection]. It tells a server that is away, which is
// waited for, from a store that is full, which only workers wait for, and says so either way.
//
// # How many workers
//
// Workers announce themselves by contrib/nats, and its Scale decides how many there should be.
// queue scale has a [crew] of processes of queue work. Each ends when its stdin does: when it is
// not needed any more, and when its scale is gone.
//
// # Who serves
//
// Without a server, that is the first process that needs a [home]: a lock on a file of
// it, which ends with its process, says who. Each attempt to connect takes the lock if
// it is free, so that the queues outlive any of their users. The server proves by TLS that it
// has the home's secret: see [home.prove]. Those who wait while it reads a large store see from a
// file that it does.
//
// # What is on the disk
//
// NATS confirms what it has written to a file, and has the disk keep it later. What must
// outlast the server's machine is asked for: by push before it returns, by a worker between the
// record and the acknowledgement. [queue.durably] asks, and [disk] does it. A home says whether
// it wants that: see [settings]; where it does not, a power failure may lose a result and not its
// job: see [queue.complete].
//
// Acknowledgements and the removal of jobs are not asked for. What a restart of the machine has
// left of them is put in order before anybody reaches the server: see [home.afterRestart]. A push
// whose confirmation was lost with a server is known to the next one by the records: see [sending].
//
// # Who may do what
//
// A home has a key for each role: see [home.users]. Where NATS has no right that is narrow
// enough for a role, the [service] beside the server acts for it.
package queue
