package natslimit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A Handler does the job of a message. It must not acknowledge the message: its result
// decides that.
type Handler func(ctx context.Context, msg jetstream.Msg) error

// Consume calls handle with the messages of a pull consumer, each under a permit of
// limiter, until ctx is done, [Drain] ends it, or the consumer is gone.
//
// It requests only as many messages as there are free permits, so messages that this
// worker cannot begin are left to others. The ctx of handle carries the permit (see
// [sweetspot.Limiter.Do]), and the Limiter maps the error of handle to an outcome (see
// [sweetspot.Classify]). The order of messages is undefined.
//
// When handle returns nil the permit is given back. Then the function given to [Record]
// is called, the message is acknowledged, and Consume waits for the server's
// confirmation (see [Unconfirmed]). Meanwhile the next message is handled. While 32
// messages more than the limit are in this phase, the next one keeps its permit to the
// end, so that a slow server holds the handlers back.
//
// When handle, or the function given to Record, returns an error, the message comes
// back after its [Backoff], to any worker, until its [Deliveries] are used up; then it
// is dead (see [DeadLetter]). Until then Consume keeps extending its deadline at the
// server, however long the handler takes, and leaves it out if it comes again meanwhile.
// A change of the consumer's AckWait is heeded within some seconds. Delivery is at least
// once: if a worker dies, or a confirmation is lost, a message comes again after the
// AckWait. A job whose result is recorded by its key has exactly one result.
//
// If ctx is done, Consume takes no more messages, cancels the ctx of the running
// handlers, waits for them, and returns context.Cause of ctx. What they finish is
// recorded and acknowledged; what fails then goes back to the queue at once. If handle
// panics, its message comes back after its backoff, the other handlers are cancelled
// and waited for, and Consume panics with a [*sweetspot.PanicError]; if handle calls
// [runtime.Goexit], so does Consume. Nothing runs after Consume has returned.
//
// If the server is away later, Consume waits, as long as the connection is not closed. It
// returns an error if the server does not answer within five seconds at the beginning
// ([nats.ErrTimeout]), or the consumer does not exist, is deleted, or cannot be used: it must
// be a pull consumer that acknowledges explicitly, allow requests of a second
// (MaxRequestExpires), and have no MaxDeliver (see [Deliveries]). After a lower limit
// fewer messages are taken, and none is interrupted.
// Consume panics if consumer, limiter, handle or an option is nil.
//
// A message costs its requests to the server: one to get it and one to acknowledge it.
// Permits that become free during a request share the next one. While a message is in
// hand for more than a second, the AckWait costs one more each second.
func Consume(ctx context.Context, consumer jetstream.Consumer, limiter *sweetspot.Limiter, handle Handler, opts ...Option) error {
	switch {
	case consumer == nil:
		panic("sweetspot: Consume without a consumer: want that of a stream")
	case limiter == nil:
		panic("sweetspot: Consume without a Limiter: want one, such as sweetspot.New()")
	case handle == nil:
		panic("sweetspot: Consume without a handler: want a function")
	case limiter.Holds(ctx):
		panic("sweetspot: Consume under a permit of its own Limiter: want a ctx from outside of that Do")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	c := &consumption{
		settings: newSettings(opts),
		consumer: consumer, limiter: limiter, handle: handle, ctx: ctx,
		messages: make(chan *job), errands: make(chan errand),
		patience: patienceLeast, expiry: batchExpiry,
		kick: make(chan struct{}, 1),
		held: map[identity]*job{}, again: make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
	info, err := c.check()
	if err != nil {
		return err
	}
	if c.fleet != nil {
		if err := c.fleet.join(ctx, c, info); err != nil {
			return err
		}
		defer c.fleet.leave()
	}
	return c.run(info)
}

// A consumption is one Consume under way. A dispatcher asks the server for
// messages; lanes are goroutines that hold a permit each and handle them.
type consumption struct {
	settings
	consumer jetstream.Consumer
	limiter  *sweetspot.Limiter
	handle   Handler
	waits    atomic.Int64 // AckWait of the consumer, as far as is known

	ctx  context.Context // of the call
	work context.Context // of the handlers
	fail context.CancelCauseFunc
	take context.Context // done when no more messages are taken
	stop context.CancelFunc

	lanes    sync.WaitGroup
	errands  chan errand   // to the lanes that rest
	resting  atomic.Int32  // how many do
	messages chan *job     // to the lanes that are ready; nil dismisses one
	kick     chan struct{} // something changed that the dispatcher waits for
	again    chan struct{} // a message came that is in hand
	changed  chan struct{} // AckWait did
	poll     jetstream.MessagesContext
	most     int           // messages of a batch
	asked    bool          // a request of the poll waits at the server
	patience time.Duration // of the next look whether that is so
	expiry   time.Duration // of the next batch
	quiet    time.Duration // how long the newest batch in vain counts
	barred   time.Time     // until then no batches are asked for

	mu       sync.Mutex
	backlog  uint64             // messages that nobody has, as far as is known
	waiting  bool               // a lane waits for a permit
	dismiss  context.CancelFunc // sends the waiting lane home
	ready    int                // lanes that have a permit and no message
	carrying int                // lanes that have a message and no permit
	settling int                // lanes that have given their permit back, and record
	held     map[identity]*job
	failure  panics.Failure // of a handler
}

// check reads what there is to know of the consumer.
func (c *consumption) check() (*jetstream.ConsumerInfo, error) {
	info, err := c.info(c.ctx)
	if err != nil {
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		return nil, fmt.Errorf("sweetspot: cannot read the consumer: %w", unanswered(c.ctx, err))
	}
	cfg := info.Config
	if cfg.AckPolicy != jetstream.AckExplicitPolicy {
		return nil, fmt.Errorf("sweetspot: consumer %s has the acknowledgement policy %v: want AckExplicitPolicy", info.Name, cfg.AckPolicy)
	}
	if most := cfg.MaxDeliver; most > 0 {
		return nil, fmt.Errorf("sweetspot: consumer %s has MaxDeliver %d, which can leave messages behind: want -1, and Deliveries to bound them", info.Name, most)
	}
	if most := cfg.MaxRequestExpires; most > 0 && most < time.Second {
		return nil, fmt.Errorf("sweetspot: consumer %s has MaxRequestExpires %v, too short to wait for a message: want 0, or at least 1s", info.Name, most)
	}
	c.learn(info)
	return info, nil
}

func (c *consumption) run(info *jetstream.ConsumerInfo) error {
	c.work, c.fail = context.WithCancelCause(c.ctx)
	defer c.fail(nil)
	c.take, c.stop = context.WithCancel(c.work)
	defer c.stop()
	silence, err := c.presence.answer(c, info.Stream, info.Name)
	if err != nil {
		return err
	}
	defer silence()
	var aside sync.WaitGroup
	if c.drain != nil {
		aside.Go(func() {
			select {
			case <-c.drain:
				c.stop()
			case <-c.take.Done():
			}
		})
	}
	alive, quit := context.WithCancel(context.WithoutCancel(c.ctx))
	defer quit()
	aside.Go(func() { c.keepAlive(alive) })
	aside.Go(func() { c.watchAckWait(alive) })
	if c.fleet != nil {
		aside.Go(func() { c.fleet.serve(alive) })
	}
	err = c.dispatch(info.Config)
	c.stop()
	c.lanes.Wait()
	quit()
	aside.Wait()
	c.failure.Resume()
	if err != nil {
		return err
	}
	return context.Cause(c.ctx) // nil if it was drained
}

// takes reports whether more messages may be asked for. Whoever has closed the channel of
// Drain relies on it at once.
func (c *consumption) takes() bool {
	select {
	case <-c.drain:
		c.stop()
	default:
	}
	return c.take.Err() == nil
}
