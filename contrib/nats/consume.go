package natslimit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
)

// A Handler does the job that a message stands for. It must not acknowledge the
// message: what it returns decides that.
type Handler func(ctx context.Context, msg jetstream.Msg) error

// Consume calls handle with the messages of a pull consumer, each under a permit of
// limiter, until ctx is done, [Drain] ends it, or the consumer is gone.
//
// It asks the server only for as many messages as there are permits free, so that
// whatever this worker cannot begin is left to others. The ctx of handle carries the
// permit (see [sweetspot.Limiter.Do]), and the error of handle is judged by the
// Limiter (see [sweetspot.Classify]). The order in which messages are handled is
// undefined.
//
// When handle returns nil the message is acknowledged, and the server's confirmation
// awaited. When it returns an error the message comes back after its [Backoff], to
// any worker, until its [Deliveries] are used up; then it is dead (see
// [DeadLetter]). While handle runs, the server is told so, however long that takes.
// Delivery is at least once: a worker that dies, or a confirmation that is lost,
// lets a message come again after the consumer's AckWait. A job whose result is
// recorded by its key, before handle returns, has exactly one.
//
// If ctx is done, Consume takes no more messages, cancels the ctx of the handlers
// that run, waits for them, and returns context.Cause of ctx. What they finish is
// acknowledged; what fails then goes back to the queue at once. If handle panics, its
// message comes back after its backoff, the other handlers are cancelled and waited
// for, and Consume panics with a [*sweetspot.PanicError]; if handle calls
// [runtime.Goexit], so does Consume. Nothing runs after Consume has returned.
//
// A server that is away is waited for, as long as the connection is not closed. The
// error is of a consumer that does not exist, or is deleted, or cannot be used: it
// must be a pull consumer that acknowledges explicitly. Lowering the limit lets
// fewer messages be taken, and interrupts none. It panics if limiter or handle is
// nil.
//
// A message costs what the requests to the server cost: one to get it and one to
// acknowledge it. Permits that come free while a request is under way share the next.
func Consume(ctx context.Context, consumer jetstream.Consumer, limiter *sweetspot.Limiter, handle Handler, opts ...Option) error {
	if limiter == nil {
		panic("sweetspot: Consume without a Limiter: want one, such as sweetspot.New()")
	}
	if handle == nil {
		panic("sweetspot: Consume without a handler: want a function")
	}
	if limiter.Holds(ctx) {
		panic("sweetspot: Consume under a permit of its own Limiter: want a ctx from outside of that Do")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c := &consumption{
		settings: newSettings(opts),
		consumer: consumer, limiter: limiter, handle: handle, ctx: ctx,
		messages: make(chan *job),
		kick:     make(chan struct{}, 1),
		held:     map[*job]struct{}{},
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
	return c.run()
}

// A consumption is one Consume under way. A dispatcher asks the server for
// messages; lanes are goroutines that hold a permit each and handle them.
type consumption struct {
	settings
	consumer jetstream.Consumer
	limiter  *sweetspot.Limiter
	handle   Handler
	ackWait  time.Duration

	ctx  context.Context // of the call
	work context.Context // of the handlers
	fail context.CancelCauseFunc
	take context.Context // done when no more messages are taken
	stop context.CancelFunc

	lanes    sync.WaitGroup
	messages chan *job     // to the lanes that are ready; nil dismisses one
	kick     chan struct{} // something changed that the dispatcher waits for
	poll     jetstream.MessagesContext
	asked    bool          // a request of the poll waits at the server
	quiet    time.Duration // how long the newest batch in vain counts
	barred   time.Time     // until then no batches are asked for

	mu       sync.Mutex
	backlog  uint64             // messages that nobody has, as far as is known
	waiting  bool               // a lane waits for a permit
	dismiss  context.CancelFunc // sends the waiting lane home
	ready    int                // lanes that have a permit and no message
	carrying int                // lanes that have a message and no permit
	held     map[*job]struct{}
	panicked *sweetspot.PanicError
	exited   bool // a handler called runtime.Goexit
}

// check reads what there is to know of the consumer.
func (c *consumption) check() (*jetstream.ConsumerInfo, error) {
	info, err := c.consumer.Info(c.ctx)
	if err != nil {
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		return nil, fmt.Errorf("sweetspot: cannot read the consumer: %w", err)
	}
	cfg := info.Config
	if cfg.AckPolicy != jetstream.AckExplicitPolicy {
		return nil, fmt.Errorf("sweetspot: consumer %s has the acknowledgement policy %v: want AckExplicitPolicy", info.Name, cfg.AckPolicy)
	}
	if cfg.MaxDeliver > 0 && cfg.MaxDeliver < c.deliveries {
		return nil, fmt.Errorf("sweetspot: consumer %s has MaxDeliver %d, which would leave messages behind: want -1, or at least the %d of Deliveries",
			info.Name, cfg.MaxDeliver, c.deliveries)
	}
	c.ackWait = cfg.AckWait
	for _, d := range cfg.BackOff { // takes the place of AckWait
		c.ackWait = d
		break
	}
	for _, d := range cfg.BackOff {
		c.ackWait = min(c.ackWait, d)
	}
	return info, nil
}

func (c *consumption) run() error {
	c.work, c.fail = context.WithCancelCause(c.ctx)
	defer c.fail(nil)
	c.take, c.stop = context.WithCancel(c.work)
	defer c.stop()
	if c.drain != nil {
		go func() {
			select {
			case <-c.drain:
				c.stop()
			case <-c.take.Done():
			}
		}()
	}
	var aside sync.WaitGroup
	quit := make(chan struct{})
	aside.Go(func() { c.keepAlive(quit) })

	if c.fleet != nil {
		aside.Go(func() { c.fleet.serve(quit) })
	}
	err := c.dispatch()
	c.stop()
	c.lanes.Wait()
	close(quit)
	aside.Wait()
	switch {
	case c.panicked != nil:
		panic(c.panicked)
	case c.exited:
		runtime.Goexit()
	case err != nil:
		return err
	}
	return context.Cause(c.ctx) // nil if it was drained
}

// dispatch asks for messages until it is to stop, or cannot go on. All lanes that
// wait have been dismissed when it returns.
func (c *consumption) dispatch() error {
	var err error
	c.poll, err = c.consumer.Messages(jetstream.PullMaxMessages(1), jetstream.PullExpiry(pollExpiry), jetstream.PullHeartbeat(pollHeartbeat))
	if err != nil {
		return fmt.Errorf("sweetspot: cannot ask for messages: %w", err)
	}
	defer func() {
		c.stop()
		c.know(0)
		c.dismissReady()
		c.endPoll()
	}()
	for c.take.Err() == nil {
		var err error
		if c.known() > 0 {
			err = c.batch()
		} else {
			err = c.single()
		}
		if err != nil && c.take.Err() == nil {
			return err
		}
	}
	return nil
}

const (
	// batchMost is the most that is asked for at a time. What a batch saves, the
	// round trip for each message, is saved with fewer.
	batchMost = 256
	// batchExpiry is how long the server may take to find that it has less than
	// was asked for. It begins when the request arrives there. What is in stock
	// comes at once; longer waits are for the poll, that needs no permits.
	batchExpiry = 5 * time.Millisecond
	// quietMost bounds the time without batches where they are in vain, as the
	// consumer's MaxAckPending holds back what there is.
	quietMost = 100 * time.Millisecond

	// The poll renews its request as rarely as the client does by default, and
	// notices within seconds if the server has forgotten it.
	pollExpiry    = 30 * time.Second
	pollHeartbeat = 5 * time.Second
	// pollCheck is how long it may stay silent until the consumer is looked for:
	// one that was deleted while the connection was down does not say so.
	pollCheck = 30 * time.Second
	// fullLook is how often it is looked whether a permit came free that others
	// held, and fullCheck whether messages have come that nobody can take.
	fullLook  = 20 * time.Millisecond
	fullCheck = time.Second
)

// batch asks for messages for all lanes that are ready, once there is one.
func (c *consumption) batch() error {
	c.enlist(nil)
	select {
	case <-c.kick:
	case <-c.take.Done():
		return nil
	}
	c.mu.Lock()
	n := min(c.ready, batchMost)
	c.ready -= n
	if c.ready > 0 {
		c.alert()
	}
	c.mu.Unlock()
	if n == 0 {
		return nil
	}
	got, left, err := c.fetch(n)
	for range n - got {
		c.messages <- nil
	}
	if got == n {
		c.quiet = 0
		c.know(left)
		return nil
	}
	c.know(0)
	if left > 0 || got == 0 { // there is more, but it is held back
		c.quiet = min(max(2*c.quiet, batchExpiry), quietMost)
		c.barred = time.Now().Add(c.quiet)
	}
	return c.trouble(err)
}

// fetch asks for n messages for lanes that are ready. It returns how many came, and
// how many were left then.
func (c *consumption) fetch(n int) (got int, left uint64, err error) {
	if n == 1 {
		// With the inbox of the poll, that costs a third. What does not come at
		// once may come later: the request stays where it is, for single.
		m, err := c.poll.Next(jetstream.NextMaxWait(batchExpiry))
		c.asked = errors.Is(err, nats.ErrTimeout)
		if err == nil {
			got = 1
			left = c.hand(m)
		}
		return got, left, err
	}
	fetched, err := c.consumer.Fetch(n, jetstream.FetchMaxWait(batchExpiry))
	if err != nil {
		return 0, 0, err
	}
	for m := range fetched.Messages() {
		left = c.hand(m)
		got++
	}
	return got, left, fetched.Error()
}

// hand gives a message to a lane that is ready. It returns how many are left.
func (c *consumption) hand(m jetstream.Msg) uint64 {
	j, left := c.hold(m)
	c.messages <- j
	return left
}

// single waits for one message while there is no more than that to be expected. The
// request waits at the server without a permit, since permits that idle workers
// hold would be missing where a Limiter is shared, and look like work. It is sent
// only while a permit is free, and the message takes that.
func (c *consumption) single() error {
	c.dismissReady()
	if !c.asked && !c.free() {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.take, pollCheck)
	defer cancel()
	m, err := c.poll.Next(jetstream.NextContext(ctx))
	c.asked = err != nil
	switch {
	case err == nil:
		j, left := c.hold(m)
		if time.Now().Before(c.barred) {
			left = 0
		}
		c.know(left)
		c.enlist(j)
		return nil
	case c.take.Err() != nil:
		return nil
	case ctx.Err() != nil:
		_, err = c.consumer.Info(c.take)
	}
	return c.trouble(err)
}

// free waits until a permit is free. It reports false if that is not so yet, or
// other news came.
func (c *consumption) free() bool {
	began := time.Now()
	for {
		s := c.limiter.Stats()
		c.mu.Lock()
		carrying := c.carrying
		c.mu.Unlock()
		if s.InFlight+carrying < s.Limit && s.Waiting == 0 {
			return true
		}
		select {
		case <-c.kick:
		case <-c.take.Done():
			return false
		case <-time.After(fullLook):
		}
		if time.Since(began) < fullCheck {
			continue
		}
		if info, err := c.consumer.Info(c.take); err == nil {
			c.know(info.NumPending)
		}
		return false
	}
}

// trouble returns err if it is final; else it logs it and lets some time pass.
func (c *consumption) trouble(err error) error {
	switch {
	case err == nil, errors.Is(err, nats.ErrTimeout), errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, jetstream.ErrConsumerDeleted), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound),
		errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, jetstream.ErrConnectionClosed), errors.Is(err, jetstream.ErrMsgIteratorClosed),
		errors.Is(err, nats.ErrConnectionDraining), errors.Is(err, jetstream.ErrBadRequest):
		return fmt.Errorf("sweetspot: no more messages: %w", err)
	}
	c.logger.Warn("cannot get messages", "error", err)
	select {
	case <-c.take.Done():
	case <-time.After(troublePause):
	}
	return nil
}

// troublePause is short beside the time that a server takes to come back, and long
// beside that of a request.
const troublePause = 200 * time.Millisecond

// endPoll takes the request of the poll back. A message that came meanwhile goes
// back to the queue.
func (c *consumption) endPoll() {
	c.poll.Drain()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), drainMost)
	defer cancel()
	for {
		m, err := c.poll.Next(jetstream.NextContext(ctx))
		if err != nil {
			break
		}
		c.nak(m, 0)
	}
	c.poll.Stop()
}

// drainMost is how long a server may take to confirm that a request is taken back.
// What it sends later comes again after the consumer's AckWait.
const drainMost = time.Second
