// Package franzlimit handles the records of Kafka with the best number of partitions at
// a time, by the client github.com/twmb/franz-go. The records of a partition keep their
// order.
//
//	err := franzlimit.Consume(ctx, sweetspot.New(),
//		func(ctx context.Context, r *kgo.Record) error {
//			return charge(ctx, r.Value)
//		},
//		kgo.SeedBrokers("kafka:9092"),
//		kgo.ConsumerGroup("billing"),
//		kgo.ConsumeTopics("orders"))
//
// # What a unit is
//
// A unit is a record, from its permit until the handler returns. A partition has at most
// one record in flight, so no more run at a time than partitions are assigned to the
// member and have records. Partitions get permits first come, first served: a partition
// with a long backlog does not delay the others.
//
// The limit is shared by all that use the Limiter, such as several Consumes. A lower
// limit interrupts nothing; the next records wait.
//
// # Order, and what is committed
//
// The records of a partition are handled one after the other, by their offsets. An
// offset is marked when its handler has returned nil, and marked offsets are committed
// every [kgo.AutoCommitInterval], at each rebalance, and at the end. So delivery is at
// least once, and each partition goes on where its commit is: what a dead member had
// handled since its last commit comes again, in order.
//
// # Rebalancing
//
// When a partition is revoked, its waiting records are dropped, and a running handler
// may finish. Then its offset is committed, before another member gets the partition. If
// a handler still runs at the end of [kgo.RebalanceTimeout], its ctx is cancelled. If a
// partition is lost, that happens at once, because another member may have it.
//
// # What is buffered
//
// A partition with more than 1,000 waiting records is paused until half of them are
// handled. Other partitions are fetched meanwhile. Memory is bounded by that, and by one
// fetch for each partition ([kgo.FetchMaxPartitionBytes]). Records that arrive for a
// paused partition are dropped, and fetched again later.
//
// # When something fails
//
//	the handler fails    Consume ends with its error; the record comes again to whoever
//	                     has the partition next. To go on, return nil, for example
//	                     after a retry, or after the record was put into another topic.
//	the handler panics   the others are cancelled and waited for; Consume panics
//	a worker dies        its partitions go to others after kgo.SessionTimeout
//	a broker is away     franz-go retries; Consume waits
//	SASL refuses us      Consume ends with that error after some five seconds, if no seed broker
//	                     has known us by then; one that is away is asked again. Once one has,
//	                     franz-go retries, and only its log says why (kgo.WithLogger).
//	ctx is done          running handlers are cancelled, the rest is left; what they
//	                     finish is committed
//
// # When to use something else
//
//   - A handler needs a microsecond: loop over the records yourself. A permit costs about
//     as much.
//   - More should run at a time than there are partitions: use a queue without order
//     (contrib/nats), or a design that keeps the order by key instead of by partition.
//   - Exactly once from topic to topic: kgo.GroupTransactSession.
package franzlimit
