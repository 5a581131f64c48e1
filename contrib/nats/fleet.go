package natslimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/sweetspot-go/sweetspot/control"
)

// A Fleet is one worker's part in a limit that all workers of a consumer share, for a
// service or a disk that can bear a certain number of jobs at a time from all workers
// together. One of the workers is elected, and moves the consumer's MaxAckPending by
// the law that moves the limit of one process, from what all of them measure. When it
// leaves, or dies, another one takes over from the current limit.
//
// The Limiter of each worker stays in force below it: it keeps that machine from taking
// more than it can work on. Set the fields before the first [Consume]. They should be
// the same in all workers, because any of them may be elected.
type Fleet struct {
	Min, Max int // bounds of the shared limit; 1 and 100,000 if not set; Consume refuses a Min above Max
	// Start is where the search begins without earlier knowledge; the CPUs of the
	// elected worker if not set. From there each doubling takes as long as some jobs.
	// Set it if many workers have jobs that use their own CPUs, but not above what the
	// downstream is known to bear.
	Start int
	// Law makes the law that decides the limit; the default law if not set. The CPU
	// figures of its readings say that all CPUs are idle: the bottleneck is not on
	// these machines.
	Law func() control.Controller
	// Lease is how long the elected worker may be silent before another one checks
	// whether it lives. A dead one is replaced within twice that. 2 s if not set. The
	// elected one asks all workers about eight times in it, or more often.
	Lease time.Duration

	js   jetstream.JetStream
	kv   jetstream.KeyValue
	busy atomic.Bool // serves a Consume

	worker  string
	c       *consumption
	stream  string
	name    string // of the consumer
	subject string // where the elected worker asks
	ledger  ledger
	heard   chan question // what it asked
}

// NewFleet returns a worker's part in the shared limit of the consumer to which [Share]
// gives it. All workers need the same bucket kv, any that they can write: it holds two
// small values, under keys that begin with "fleet." and the names of stream and
// consumer. They also exchange messages under subjects that begin with
// "sweetspot.fleet.", and the elected one updates the consumer. It panics if js or kv
// is nil.
func NewFleet(js jetstream.JetStream, kv jetstream.KeyValue) *Fleet {
	if js == nil || kv == nil {
		panic("sweetspot: NewFleet without a connection or a bucket: want a jetstream.JetStream and a jetstream.KeyValue")
	}
	return &Fleet{
		js: js, kv: kv,
		worker: fmt.Sprintf("%s-%d-%s", hostname(), os.Getpid(), nuid.Next()),
		heard:  make(chan question, 1),
	}
}

// join prepares the Fleet for a Consume. leave must follow, unless it fails.
func (f *Fleet) join(ctx context.Context, c *consumption, info *jetstream.ConsumerInfo) error {
	if least, most := f.bounds(); least > most {
		return fmt.Errorf("sweetspot: the Fleet's Min %d is above Max %d: want at most that", least, most)
	}
	if !f.busy.CompareAndSwap(false, true) {
		return errors.New("sweetspot: the Fleet is in use: want one for each Consume")
	}
	f.c, f.stream, f.name = c, info.Stream, info.Name
	f.subject = "sweetspot.fleet." + f.stream + "." + f.name
	f.ledger = ledger{}
	once, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	if _, err := f.kv.Get(once, f.key("lease")); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		f.leave()
		return fmt.Errorf("sweetspot: cannot read the bucket of the fleet: %w", unanswered(ctx, err))
	}
	return nil
}

func (f *Fleet) leave() { f.busy.Store(false) }

func (f *Fleet) key(name string) string { return fleetKey(f.stream, f.name, name) }

func fleetKey(stream, consumer, name string) string {
	return "fleet." + keyName(stream) + "." + keyName(consumer) + "." + name
}

func (f *Fleet) lease() time.Duration { return cmp.Or(max(f.Lease, 0), 2*time.Second) }

// bounds returns Min and Max, or what they are if not set.
func (f *Fleet) bounds() (int, int) {
	return max(f.Min, 1), cmp.Or(max(f.Max, 0), 100_000)
}

// serve takes part until ctx is done. That is not the context of the Consume: while handlers finish, the
// fleet must know of them.
func (f *Fleet) serve(ctx context.Context) {
	sub, err := f.js.Conn().Subscribe(f.subject, f.asked)
	if err != nil {
		f.c.logger.Error("cannot hear the fleet", "error", err)
		return
	}
	defer unsubscribed(sub)()
	for ctx.Err() == nil {
		if l := f.elect(ctx); l != nil {
			f.lead(ctx, l)
		} else {
			f.follow(ctx)
		}
	}
}

// asked answers a question of the elected worker.
func (f *Fleet) asked(m *nats.Msg) {
	q, ok := decode[question](m.Data)
	if !ok {
		return
	}
	select { // only the newest counts
	case <-f.heard:
	default:
	}
	f.heard <- q // there is room: nobody else sends
	if m.Reply == "" {
		return
	}
	r := f.ledger.report(q.Change)
	r.Worker, r.Overloads = f.worker, f.c.limiter.Stats().Overloads
	if err := m.Respond(encode(r)); err != nil {
		f.c.logger.Warn("cannot answer the fleet", "error", err)
	}
}

// follow returns when the elected worker has resigned, or been silent for a lease.
func (f *Fleet) follow(ctx context.Context) {
	silence := time.NewTimer(jitter(f.lease()))
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-silence.C:
			return
		case q := <-f.heard:
			if q.Resigns {
				return
			}
			silence.Reset(jitter(f.lease()))
		}
	}
}
