// Package natslimit handles the messages of a NATS JetStream consumer with the best
// number at a time. Each worker finds its own number; optionally all workers share one
// limit.
//
//	err := natslimit.Consume(ctx, consumer, sweetspot.New(),
//		func(ctx context.Context, msg jetstream.Msg) error {
//			return resize(ctx, msg.Data())
//		})
//
// # What is fetched
//
// A worker requests as many messages as it has free permits, and no more. A message
// that waits in the buffer of a busy worker is not available to an idle one, and the
// server's AckWait runs meanwhile. An idle worker keeps one request waiting at the
// server. That request holds no permit, so an idle worker has nothing in flight, and
// takes nothing from others that share its Limiter. If they took the last permit
// meanwhile, that one message waits for the next permit, and the worker extends its
// AckWait.
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
// A failed message counts towards MaxAckPending until it comes again: with the server's
// default of 1,000, as many failures stop the consumer for the length of their backoff.
// An idle worker has one request waiting at the server; above MaxWaiting (512 by
// default) the rest ask again after ten seconds.
//
// # Exactly one result
//
// A message may be handled twice: if a worker dies after its work and before the
// acknowledgement, or if the network loses the acknowledgement. But exactly one result
// can be recorded. Let the handler record it by a key of the job with Create of a
// KeyValue bucket. If another worker was first, Create fails with
// jetstream.ErrKeyExists, which counts as done. The acknowledgement follows, and is
// confirmed, unless the handler looks for the result before it does a job (see
// [Unconfirmed]).
//
// Both wait for the server. A function given to [Record] runs, like the
// acknowledgement, after the permit was given back: a unit of the Limiter takes only
// the time of the handler. At most as many messages as the limit are finished but not
// yet recorded or confirmed. If a worker dies, it has done these in vain, and its
// running jobs, too.
//
// # One limit for all workers
//
// If all jobs use the same database, each worker's own search measures the others' as
// well, and each gains by taking the others' share. Their sum goes up until it adds
// only time in the queue. A [Fleet] limits the sum, with the means of NATS: the server
// delivers no more than MaxAckPending unacknowledged messages to all workers of a
// consumer together, and that can change at any time. The elected worker asks all of
// them about 25 times a second what they have finished and how long it took, lets
// [control.Search] decide, and updates the consumer. The workers' own limits stay in
// force below that.
//
// The Fleet counts jobs as done when their acknowledgement is confirmed, and times them
// until then, because a message occupies one of MaxAckPending for that long. It takes
// overloads (see [sweetspot.Classify]) from the Limiter of each worker, which should
// then not be shared with other work. Workers must be able to take more than their
// share: if their own limits hold everything back, the shared limit learns nothing, and
// stays.
//
// The right to move the limit is a key that is renewed by compare and swap, and expires
// by the clocks of the watching workers; clocks are not compared. A leaving worker
// gives it back. While no worker is elected the limit stays where it is.
//
// # As many workers as it takes
//
// Workers that [Announce] themselves tell [Workers] their limit and what they do. [Scale]
// works out how many there should be.
//
// # When something fails
//
//	the handler fails       the message comes again after its backoff, to any worker
//	it fails too often      DeadLetter, then it is ended
//	the handler panics      its message comes again; Consume panics with the PanicError
//	a worker dies           its messages come again after AckWait; counts as a delivery
//	a message kills workers after as many deliveries: DeadLetter, with ErrDeliveries
//	DeadLetter is cut short it comes again to DeadLetter: with Failures, as a FailuresError
//	a worker must end       counts as a delivery, unless Failures counts only failures
//	the server is away      all wait; what was not confirmed comes again
//	the elected worker dies another goes on within twice Lease, from the same limit
//	a worker is cut off     its jobs run to their end; they may come again elsewhere
//	AckWait is lowered      what runs just then may come again elsewhere, once
//	ctx is done             what fails then goes back at once
package natslimit
