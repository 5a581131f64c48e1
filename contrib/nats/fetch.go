package natslimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// dispatch asks for messages until it is to stop, or cannot go on. All lanes that
// wait have been dismissed when it returns.
func (c *consumption) dispatch(cfg jetstream.ConsumerConfig) error {
	// The server refuses requests beyond what the consumer allows; 0 is no bound.
	c.most = cmp.Or(min(cfg.MaxRequestBatch, batchMost), batchMost)
	expiry := cmp.Or(min(cfg.MaxRequestExpires, pollExpiry), pollExpiry)
	var err error
	c.poll, err = c.consumer.Messages(jetstream.PullMaxMessages(1), jetstream.PullExpiry(expiry), jetstream.PullHeartbeat(min(pollHeartbeat, expiry/2)))
	if err != nil {
		return fmt.Errorf("sweetspot: cannot ask for messages: %w", err)
	}
	defer func() {
		c.stop()
		c.know(0)
		c.dismissReady()
		c.endPoll()
	}()
	for c.takes() {
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
	// comes at once; longer waits are for the poll, that needs no permits. On a
	// machine that is overloaded it may not be enough to send what is in stock:
	// then it is doubled, up to expiryMost.
	batchExpiry = 5 * time.Millisecond
	expiryMost  = 320 * time.Millisecond
	// quietMost bounds the time without batches where they are in vain, as the
	// consumer holds back what there is.
	quietMost = 100 * time.Millisecond

	// The poll renews its request as rarely as the client does by default, and
	// notices within seconds if the server has forgotten it.
	pollExpiry    = 30 * time.Second
	pollHeartbeat = 5 * time.Second
	// pollCheck is how long it may stay silent until the consumer is looked for:
	// one that was deleted while the connection was down does not say so.
	pollCheck = 30 * time.Second
	// patienceLeast is how long the poll waits before it is made sure that its
	// request was sent. The client leaves that out where the message before was
	// read sooner than the goroutine that had asked for it went on, which happens
	// where there are more threads than CPUs. Each look may wait twice as long.
	patienceLeast = 5 * time.Millisecond
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
	n := min(c.ready, c.most)
	if !c.takes() { // after the look at who is ready
		c.mu.Unlock()
		return nil
	}
	if c.asked { // a message that came meanwhile is not to lie about
		n = min(n, 1)
	}
	c.ready -= n
	if c.ready > 0 {
		notify(c.kick)
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
		c.quiet, c.expiry = 0, max(c.expiry/2, batchExpiry)
		c.know(left)
		return nil
	}
	if err != nil && !errors.Is(err, nats.ErrTimeout) {
		c.know(0)
		return c.trouble(err)
	}
	if left == 0 && got > 0 {
		c.know(0)
		return nil
	}
	return c.vain()
}

// vain finds out why less came than was asked for. An answer in time need not mean that
// there is nothing: a server that is short of CPU time lets requests run out that it
// could serve.
func (c *consumption) vain() error {
	left, held, err := c.stock()
	if err != nil {
		c.know(0)
		return c.trouble(err)
	}
	if held {
		c.know(0)
		c.quiet = min(max(2*c.quiet, batchExpiry), quietMost)
		c.barred = time.Now().Add(c.quiet)
		return nil
	}
	c.know(left)
	if left > 0 {
		c.expiry = min(2*c.expiry, expiryMost)
	}
	return nil
}

// stock asks the server how many messages nobody has, and whether the consumer is paused,
// or its MaxAckPending holds them back.
func (c *consumption) stock() (left uint64, held bool, err error) {
	info, err := c.info(c.take)
	if err != nil {
		return 0, false, err
	}
	most := info.Config.MaxAckPending
	return info.NumPending, info.NumPending > 0 && (info.Paused || most > 0 && info.NumAckPending >= most), nil
}

// askMost bounds a question, as the client does where a ctx has no deadline: the answer may be lost
// with the connection, and a ctx that has one may last for hours.
const askMost = 5 * time.Second

// info asks the server for the state of the consumer.
func (c *consumption) info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	return c.consumer.Info(ctx)
}

// unanswered returns err, but nats.ErrTimeout if askMost was over, and not a deadline of ctx.
func unanswered(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nats.ErrTimeout
	}
	return err
}

// fetch asks for n messages for lanes that are ready. It returns how many came, and
// how many were left then.
func (c *consumption) fetch(n int) (got int, left uint64, err error) {
	if n == 1 {
		// With the inbox of the poll, that costs a third. What does not come at
		// once may come later: the request stays where it is, for single.
		m, err := c.poll.Next(jetstream.NextMaxWait(c.expiry))
		c.asked = errors.Is(err, nats.ErrTimeout)
		if err == nil {
			got = 1
			left = c.hand(m)
		}
		return got, left, err
	}
	fetched, err := c.consumer.Fetch(n, jetstream.FetchMaxWait(c.expiry))
	if err != nil {
		return 0, 0, err
	}
	for m := range fetched.Messages() {
		left = c.hand(m)
		got++
	}
	return got, left, fetched.Error()
}

// hand gives a message to a lane that is ready, or sends it home if the message is in hand already.
// It returns how many are left.
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
	ctx, cancel := context.WithTimeout(c.take, c.patience)
	defer cancel()
	m, err := c.poll.Next(jetstream.NextContext(ctx))
	c.asked = err != nil
	switch {
	case err == nil:
		c.patience = patienceLeast
		j, left := c.hold(m)
		if time.Now().Before(c.barred) {
			left = 0
		}
		c.know(left)
		if j != nil {
			c.enlist(j)
		}
		return nil
	case c.take.Err() != nil:
		return nil
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoHeartbeat):
		return c.trouble(err) // also if ctx has ended meanwhile: it is not said twice
	}
	waited := c.patience
	c.patience = min(2*c.patience, pollCheck)
	if waited < fullCheck {
		return nil
	}
	left, held, err := c.stock()
	if err == nil && !held {
		c.know(left) // if there are any, the request was lost
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
			return c.takes() // after the look at the permits
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
		if info, err := c.info(c.take); err == nil {
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
	case isGone(err), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, jetstream.ErrConnectionClosed), errors.Is(err, jetstream.ErrMsgIteratorClosed),
		errors.Is(err, nats.ErrConnectionDraining), errors.Is(err, jetstream.ErrBadRequest):
		return fmt.Errorf("sweetspot: no more messages: %w", err)
	}
	c.logger.Warn("cannot get messages", "error", err)
	_ = pause.Sleep(c.take, troublePause) // dispatch sees that it is done
	return nil
}

// isGone reports whether err says that there is no consumer any more.
func isGone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound)
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
		c.putBack(m)
	}
	c.poll.Stop()
}

// drainMost is how long a server may take to confirm that a request is taken back.
// What it sends later comes again after the consumer's AckWait.
const drainMost = time.Second
