package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A queue is three things in JetStream, all by the same name:
//
//   - a stream of jobs, from which a job is removed when its result is recorded,
//   - its consumer, which all workers share,
//   - a bucket of keys and values, with the results.
type queue struct {
	*connection
	name     string
	stream   jetstream.Stream
	consumer jetstream.Consumer
	kv       jetstream.KeyValue
	created  time.Time // tells it from a later one of the same name
	made     bool      // by us, just now
	flushes  flushes
	stalls   atomic.Bool // its keys cannot be listed
}

// nameMost bounds a name: those of ours in JetStream have it and more in them, and
// name directories of a store.
const nameMost = 100

func goodName(name string) bool {
	const known = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return name != "" && len(name) <= nameMost && strings.Trim(name, known) == ""
}

// prefix begins the names of ours in JetStream.
const prefix = "sweetspot_"

// jobsSubject begins that of the jobs; the name of the queue ends it.
const jobsSubject = "sweetspot.jobs."

func (q *queue) subject() string { return jobsSubject + q.name }

const consumerName = "workers"

// defaultLease is after how long a job comes again that a worker took and is not
// heard of: longer than networks and machines pause.
const defaultLease = 30 * time.Second

// idleWorkers is how many workers may wait for jobs at a time, each with a request at
// the server. More would ask again and again. It cannot be changed later.
const idleWorkers = 16 << 10

// keepDuplicates is how long a job is recognised that is pushed twice, because the
// confirmation was lost.
const keepDuplicates = 10 * time.Minute

// errNoQueue says that nothing was pushed yet.
var errNoQueue = errors.New("no such queue")

// queue finds a queue, or makes it with create.
func (c *connection) queue(ctx context.Context, name string, create bool) (*queue, error) {
	q := &queue{connection: c, name: name}
	first := ctx
	if !c.patient {
		var cancel context.CancelFunc
		first, cancel = context.WithTimeoutCause(ctx, c.most, errors.New("the server has no JetStream for us: is it enabled there, and for our account?"))
		defer cancel()
	}
	err := c.try(first, func(ctx context.Context) error { return q.find(ctx, create) })
	if errors.Is(err, errNoQueue) {
		if err := c.home.damaged(prefix + name); err != nil {
			return nil, fmt.Errorf("the queue %s: %w", name, err)
		}
		return nil, fmt.Errorf("there is no queue %s %s: queue push makes it", name, c.place())
	}
	if err != nil {
		return nil, fmt.Errorf("the queue %s: %w", name, err)
	}
	c.used = q
	return q, nil
}

func (c *connection) names(ctx context.Context) ([]string, error) {
	return asked(ctx, c.try, func(ctx context.Context) (all []string, err error) {
		list := c.js.StreamNames(ctx)
		for id := range list.Name() {
			if name, ours := strings.CutPrefix(id, prefix); ours {
				all = append(all, name)
			}
		}
		slices.Sort(all)
		return all, list.Err()
	})
}

// find looks for the queue. What is missing of one is made, of one that is not there only
// with create.
func (q *queue) find(ctx context.Context, create bool) error {
	if q.forwarded() {
		return q.want(ctx, makeQueue)
	}
	err := q.look(ctx)
	absent := errors.Is(err, jetstream.ErrStreamNotFound)
	switch {
	case absent && !create:
		return errNoQueue
	case !absent && !errors.Is(err, jetstream.ErrBucketNotFound) && !errors.Is(err, jetstream.ErrConsumerNotFound):
		return err
	}
	if err = q.want(ctx, makeQueue); err == nil {
		err = q.look(ctx)
	}
	q.made = err == nil && absent
	return err
}

func (q *queue) look(ctx context.Context) (err error) {
	id := prefix + q.name
	if q.stream, err = q.js.Stream(ctx, id); err != nil {
		return err
	}
	q.created = q.stream.CachedInfo().Created
	if q.kv, err = q.js.KeyValue(ctx, id); err != nil {
		return err
	}
	q.consumer, err = q.stream.Consumer(ctx, consumerName)
	return err
}

// want makes what one of the words for makeSubject names. A server of ours does it for us.
func (q *queue) want(ctx context.Context, what string) error {
	if q.served {
		return q.ask(ctx, makeSubject, []byte(what))
	}
	return q.provide(ctx, what)
}

// provide makes it by requests to JetStream.
func (q *queue) provide(ctx context.Context, what string) error {
	switch what {
	case makeOutputs:
		return q.makeOutputs(ctx)
	case makeTries:
		return q.makeTries(ctx)
	case makeNothing:
		_, err := q.js.Stream(ctx, prefix+q.name)
		return err
	case makeWay:
		return q.makeWay(ctx)
	}
	return q.make(ctx)
}

// make makes what there is not of the queue.
func (q *queue) make(ctx context.Context) error {
	id := prefix + q.name
	_, err := ensure(ctx, q.home, id, id, q.js.Stream, q.js.CreateStream, jetstream.StreamConfig{
		Name: id, Subjects: []string{q.subject()}, Description: "jobs of sweetspot queue",
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Duplicates: keepDuplicates,
		AllowDirect: true,
	})
	if err != nil {
		return err
	}
	_, err = ensure(ctx, q.home, "KV_"+id, id, q.js.KeyValue, q.js.CreateKeyValue, jetstream.KeyValueConfig{
		Bucket: id, Description: "results of sweetspot queue", Storage: jetstream.FileStorage,
		Metadata: withFloor(jetstream.StreamConfig{}, 0).Metadata,
	})
	if err != nil {
		return err
	}
	if _, err = q.js.Consumer(ctx, id, consumerName); !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	// The consumer is made last: nobody can use a queue without it, so no job comes before the disk has the rest.
	if err = q.home.keep("KV_"+id, id); err != nil {
		return err
	}
	err = q.createConsumer(context.WithoutCancel(ctx), jetstream.ConsumerConfig{ // the disk may have taken longer
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: defaultLease,
		MaxWaiting: idleWorkers,
		MaxDeliver: -1, MaxAckPending: unbounded, // what waits for another try counts as pending
	})
	if err != nil {
		return err
	}
	return q.home.keep(id)
}

// ensure makes by create what look does not find by its name, and reports whether it has. stream is
// the one that holds it.
func ensure[T, C any](
	ctx context.Context, h *home, stream, name string,
	look func(context.Context, string) (T, error), create func(context.Context, C) (T, error), config C,
) (made bool, err error) {
	if _, err = look(ctx, name); !isAny(err, jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound) {
		return false, err
	}
	if err = h.fresh(stream); err == nil {
		_, err = create(ctx, config)
	}
	return err == nil, err
}

// orMade returns the bucket that look finds. It is made if it is not there.
func orMade[T any](ctx context.Context, q *queue, what string, look func(context.Context, string) (T, error), name string) (T, error) {
	bucket, err := look(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		if err = q.want(ctx, what); err == nil {
			bucket, err = look(ctx, name)
		}
	}
	return bucket, err
}

var errDeleted = errors.New("was deleted")

// try is that of the connection, and ends where the queue was deleted.
func (q *queue) try(ctx context.Context, f func(context.Context) error) error {
	return q.connection.try(ctx, func(once context.Context) error {
		err := f(once)
		var gone error
		switch {
		case q.forwarded() && away(err): // nobody says that there is no queue
			gone = q.want(ctx, makeNothing)
		case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
			// So it is while a server of several gets ready, and once the queue is gone.
			_, gone = q.js.Stream(once, prefix+q.name)
		case q.served && q.nc.IsConnected() && away(err): // the service passes on what nobody answers
			look, cancel := context.WithTimeout(ctx, askMost)
			defer cancel()
			_, gone = q.js.Stream(look, prefix+q.name)
		}
		if errors.Is(gone, jetstream.ErrStreamNotFound) {
			err = gone
		}
		return q.judged(err)
	})
}

// judged returns err, or what it says of the queue.
func (q *queue) judged(err error) error {
	if isAny(err, jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted) {
		return q.deleted()
	}
	return err
}

// deleted returns the error of who uses q when it is deleted.
func (q *queue) deleted() error { return fmt.Errorf("the queue %s %w", q.name, errDeleted) }

// info returns the state of the consumer. NumAckPending are the jobs that a worker has, or that wait
// for another try.
func (q *queue) info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	return asked(ctx, q.try, q.consumer.Info)
}

// inProgress is a worker's word for a job that it has.
var inProgress = []byte("+WPI")

// ackSubject is where a message is answered. Of how it was delivered only the number counts.
func (q *queue) ackSubject(message uint64) string {
	return fmt.Sprintf("$JS.ACK.%s%s.%s.1.%d.1.0.0", prefix, q.name, consumerName, message)
}

// settle waits for a server of ours to have heeded what it was told of jobs: one that
// ends forgets what it has merely received. It heeds that in turn, so another word
// that is confirmed, of a job that there is not, tells.
func (q *queue) settle() {
	_, _ = q.nc.Request(q.ackSubject(math.MaxInt64), inProgress, askMost) // else the jobs come after their lease
	// A question about the consumer has the server forget requests for jobs that nobody
	// waits for any more. It would tell them that it ends, and stand still for 50 ms.
	ctx, cancel := context.WithTimeout(context.Background(), askMost)
	defer cancel()
	_, _ = q.consumer.Info(ctx)
}

// waiting returns how many jobs have no result yet.
func (q *queue) waiting(ctx context.Context) (uint64, error) {
	s, err := q.state(ctx)
	return s.Msgs, err
}

// state returns that of the stream of jobs.
func (q *queue) state(ctx context.Context) (jetstream.StreamState, error) {
	return asked(ctx, q.try, func(ctx context.Context) (s jetstream.StreamState, err error) {
		info, err := q.stream.Info(ctx)
		switch {
		case err != nil:
			return s, err
		case !info.Created.Equal(q.created):
			return s, jetstream.ErrStreamNotFound
		}
		return info.State, nil
	})
}
