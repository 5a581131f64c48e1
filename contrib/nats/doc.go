// Package natslimit handles the messages of a NATS JetStream consumer, as many at a
// time as is best: a number that each worker finds by itself, and on request all
// workers together.
//
//	err := natslimit.Consume(ctx, consumer, sweetspot.New(),
//		func(ctx context.Context, msg jetstream.Msg) error {
//			return resize(ctx, msg.Data())
//		})
//
// # What is fetched
//
// The server is asked for as many messages as there are permits free, and no more.
// A message that waits in the buffer of a busy worker is one that an idle worker
// cannot have, and the server's AckWait runs meanwhile. While there is nothing to do
// one request waits at the server; it holds no permit, so that an idle worker shows
// nothing in flight, and takes nothing from others that share its Limiter. Where
// they took the last permit meanwhile, that one message waits for the next, and the
// server is told that it is in good hands.
//
// # What the consumer should be
//
//	jetstream.ConsumerConfig{
//		Durable:       "work",
//		AckPolicy:     jetstream.AckExplicitPolicy,
//		AckWait:       30 * time.Second, // what a dead worker held comes again after this
//		MaxDeliver:    -1,               // Deliveries counts them
//		MaxAckPending: -1,               // or a Fleet's
//		MaxWaiting:    2048,             // at least the number of workers
//	}
//
// A message that has failed counts towards MaxAckPending until it comes again: with
// the server's default of 1,000 as many failures stop the consumer for the length of
// their backoff. An idle worker has one request waiting at the server; above
// MaxWaiting (512 by default) the rest ask again after ten seconds.
//
// # Exactly one result
//
// A message may be handled twice: a worker dies after its work and before the
// acknowledgement, or the network takes that. What can be had is exactly one
// recorded result: let the handler record it by a key of the job with Create of a
// KeyValue bucket, which fails with jetstream.ErrKeyExists if somebody was first,
// and is as good as done in both cases. The acknowledgement follows, and is confirmed, unless
// the handler looks for the result before it does a job (see [Unconfirmed]).
//
// Both wait for the server. What the handler hands to [Record] runs, like the
// acknowledgement, when the permit was given back: the time of a unit of the Limiter is
// that of the handler alone. Messages that are finished, and not yet recorded or
// confirmed, are no more than the limit; they are what a worker that dies has done in
// vain, beside what it was doing.
//
// # One limit for all workers
//
// If all jobs end at the same database, each worker's own search measures the
// others' as well, and each gains by taking the others' share. Their sum goes up
// until nothing but time in the queue is added. A [Fleet] limits the sum. NATS has
// the means: the server delivers no more than MaxAckPending unacknowledged messages
// to all workers of a consumer together, and that can be changed at any time. The
// elected worker asks all of them some 25 times a second what they have finished
// and how long it took, lets [control.Search] decide, and updates the consumer. The
// workers' own limits stay in force below that.
//
// The Fleet counts jobs as done when their acknowledgement is confirmed, and times them up
// to that: so long a message takes one of MaxAckPending. It takes overloads (see
// [sweetspot.Classify]) from the Limiter of each worker, which should then not be
// shared with other work. It needs workers that can take more than their share: where
// their own limits hold back everything, the shared one teaches nothing, and stays.
//
// The right to move the limit is a key that is renewed by compare and swap, and runs
// out by the clocks of those who watch it; clocks are not compared. A worker that
// leaves gives it back. While nobody is elected the limit stays where it is.
//
// # When something fails
//
//	the handler fails       the message comes again after its backoff, to any worker
//	it fails too often      DeadLetter, then it is ended
//	the handler panics      its message comes again; Consume panics with the PanicError
//	a worker dies           what it held comes again after AckWait; counts as a delivery
//	it dies of the message  after as many deliveries: DeadLetter, with ErrDeliveries
//	DeadLetter is cut short it comes again to DeadLetter: with Failures, as a FailuresError
//	a worker has to end     counts as a delivery, unless Failures counts only failures
//	the server is away      everybody waits; what was not confirmed comes again
//	the elected one dies    another one goes on within twice Lease, from the same limit
//	a worker is cut off     its jobs run to their end; they may come again elsewhere
//	ctx is done             what fails then goes back at once
package natslimit
