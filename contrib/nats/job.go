package natslimit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A job is a message in hand.
type job struct {
	message    jetstream.Msg
	meta       *jetstream.MsgMetadata // nil if it is of no consumer
	deliveries int
	past       past // with a book
	final      bool // a failure now is the last
	came       time.Time
	began      time.Time // under its permit
	answered   bool

	record    func(context.Context) error // nil if there is nothing to record
	ctx       context.Context             // of the handler and record
	handled   bool                        // it is too late for another record
	settle    bool                        // it is recorded without its permit
	succeeded bool
}

// tries returns how often j was tried, whoever died of it included. What was only given back
// was not.
func (j *job) tries() int {
	return max(j.deliveries-j.past.Back, 1) // a killed server may have forgotten deliveries
}

// do handles a message. It returns what the Limiter is to judge. What is left to do
// without the permit is settle's, if j.settle says so.
func (c *consumption) do(ctx context.Context, j *job) error {
	j.began = time.Now()
	c.presence.count(1)
	defer c.presence.count(-1)
	if c.fleet != nil {
		c.fleet.ledger.began(j)
	}
	defer func() {
		if !j.settle {
			c.over(j)
		}
	}()
	if err := c.recall(ctx, j); err != nil {
		c.failed(ctx, j, Uncounted(err))
		return err
	}
	if err := c.exhausted(j); err != nil {
		c.bury(ctx, j, err)
		return err
	}
	j.ctx = context.WithValue(ctx, recordKey{}, j)
	if err := c.handle(j.ctx, j.message); err != nil {
		c.failed(ctx, j, err)
		return err
	}
	if c.settles() {
		j.settle = true
		return nil
	}
	c.conclude(j)
	return nil
}

// over takes j out of hand.
func (c *consumption) over(j *job) {
	if !j.answered { // a panic, or a Goexit
		c.retry(j, j.tries())
	}
	c.letGo(j)
	if j.settle {
		c.mu.Lock()
		c.settling--
		c.mu.Unlock()
	}
	if c.fleet != nil {
		c.fleet.ledger.ended(j, j.succeeded)
	}
}

// settleMore is how many more messages than the limit may be recorded without a permit.
// Handlers that take a millisecond, two at a time, would wait for each answer of a server whose
// disk keeps what it confirms; with more under way, one flush serves many.
const settleMore = 32

// settles reports whether one more message may be recorded without its permit.
func (c *consumption) settles() bool {
	most := c.limiter.Limit() + settleMore
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settling >= most {
		return false
	}
	c.settling++
	return true
}

// settle does what is left to do when the permit was given back.
func (c *consumption) settle(j *job) {
	defer c.over(j)
	c.conclude(j)
}

// conclude records what was done and acknowledges the message.
func (c *consumption) conclude(j *job) {
	j.handled = true
	if j.record != nil {
		if err := j.record(j.ctx); err != nil {
			c.failed(j.ctx, j, err)
			return
		}
	}
	if c.ack(j) { // else it may come again
		c.forget(j)
	}
	j.succeeded = true
}

// failed answers the server about a message that was not handled, or not recorded.
func (c *consumption) failed(ctx context.Context, j *job, err error) {
	var p *permanent
	var u *uncounted
	switch {
	case c.work.Err() != nil:
		// Whatever it says, it may be for that reason.
		c.giveBack(j)
	case errors.As(err, &p):
		if err == error(p) {
			err = p.error
		}
		c.bury(ctx, j, err)
	case c.book != nil && errors.As(err, &u):
		c.logger.Warn("not handled, comes again", "subject", j.message.Subject(), "deliveries", j.deliveries, "error", err)
		c.enter(j, past{Back: 1})
		c.retry(j, j.past.Failed+1)
	default:
		n, most := c.failures(j, err)
		if n >= most {
			c.bury(ctx, j, err)
			return
		}
		c.logger.Warn("failed, comes again", "subject", j.message.Subject(), "deliveries", j.deliveries, "error", err)
		c.retry(j, n)
	}
}

// ack acknowledges a message until the server confirms it, or the consumer is gone or
// its AckWait over, or nobody wants to wait. It reports whether the server will know: what is
// not confirmed may be delivered again.
func (c *consumption) ack(j *job) bool {
	j.answered = true
	if c.unheard {
		err := j.message.Ack()
		if err != nil {
			c.logger.Warn("done, but not acknowledged: may come again", "subject", j.message.Subject(), "error", err)
		}
		return err == nil
	}
	patience := time.Now().Add(c.ackWait())
	for {
		// The answer may have been lost with the connection: one more question
		// costs less than one more delivery.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), min(max(c.ackWait()/4, ackLeast), ackMost))
		err := j.message.DoubleAck(ctx)
		late := ctx.Err() != nil
		cancel()
		if err == nil {
			return true
		}
		if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, jetstream.ErrMsgAlreadyAckd) || time.Now().After(patience) || c.work.Err() != nil ||
			errors.Is(err, nats.ErrNoResponders) && c.deleted() {
			c.logger.Warn("done, but not confirmed: may come again", "subject", j.message.Subject(), "error", err)
			return false
		}
		if !late { // it failed at once
			time.Sleep(ackPause)
		}
	}
}

// deleted reports whether the server says that the consumer is gone. Where nobody
// responds, that may be, or a server of several gets ready.
func (c *consumption) deleted() bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), ackMost)
	defer cancel()
	_, err := c.consumer.Info(ctx)
	return isGone(err)
}

const (
	ackLeast = 100 * time.Millisecond // for one question
	ackMost  = 2 * time.Second
	ackPause = 50 * time.Millisecond
)

// retry lets a message come again after the backoff of so many tries.
func (c *consumption) retry(j *job, tries int) {
	j.answered = true
	wait := max(c.backoff(tries), 0)
	c.nak(j, wait)
	if c.fleet != nil {
		c.fleet.ledger.delayed(wait)
	}
}

// atOnce is the delay of a message that is given back at once. One without a delay is
// in the server's memory alone: if the server restarts, as one in the process of a
// worker does with that, it would come again after AckWait.
const atOnce = time.Millisecond

// nak gives a message back. If that fails, it comes again after the consumer's
// AckWait.
func (c *consumption) nak(j *job, wait time.Duration) {
	c.letGo(j)
	if err := j.message.NakWithDelay(max(wait, atOnce)); err != nil {
		c.logger.Warn("not given back: comes again later", "subject", j.message.Subject(), "error", err)
	}
}

// bury ends a message that failed for good.
func (c *consumption) bury(ctx context.Context, j *job, err error) {
	m := j.message
	if c.deadLetter != nil {
		if failed := c.deadLetter(ctx, m, err); failed != nil {
			c.logger.Error("dead, but not recorded: comes again", "subject", m.Subject(), "error", failed)
			if c.exhausted(j) == nil { // the handler is not to be called again
				c.enter(j, past{Failed: 1, Last: oneLine(err), Over: true})
			}
			if c.work.Err() != nil { // perhaps for that reason
				j.answered = true
				c.nak(j, 0)
				return
			}
			c.retry(j, j.tries())
			return
		}
	}
	j.answered = true
	c.logger.Warn("dead", "subject", m.Subject(), "deliveries", j.deliveries, "error", err)
	if failed := m.TermWithReason(oneLine(err)); failed != nil {
		c.logger.Warn("dead, but not ended: may come again", "subject", m.Subject(), "error", failed)
	}
	c.forget(j)
}

// oneLine returns what fits into an advisory.
func oneLine(err error) string {
	s := fmt.Sprintf("%.200q", err.Error())
	return s[1 : len(s)-1]
}
