package natslimit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An identity tells a message from all others, also from those of an earlier stream of the same
// name.
type identity struct {
	sequence uint64
	stored   int64
}

func (j *job) identity() identity {
	if j.meta == nil {
		return identity{}
	}
	return identity{j.meta.Sequence.Stream, j.meta.Timestamp.UnixNano()}
}

// hold takes a message in hand. From here on it is kept from being delivered to
// others. It returns how many messages nobody has, and no job if the message is in hand already:
// the server has given it up, as when AckWait is lowered, but its job goes on.
func (c *consumption) hold(m jetstream.Msg) (*job, uint64) {
	j, left := &job{message: m, deliveries: 1, came: time.Now()}, uint64(0)
	if meta, err := m.Metadata(); err == nil { // always, from a consumer
		j.meta, j.deliveries, left = meta, int(meta.NumDelivered), meta.NumPending
	}
	id := j.identity()
	c.mu.Lock()
	again := j.meta != nil && c.held[id] != nil
	if !again {
		c.held[id] = j
	}
	c.mu.Unlock()
	if again {
		c.logger.Warn("came again while it is handled", "subject", m.Subject(), "deliveries", j.deliveries)
		notify(c.again)
		return nil, left
	}
	return j, left
}

// letGo takes j out of hand. From here on its message may come again.
func (c *consumption) letGo(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id := j.identity(); c.held[id] == j { // else it has come again
		delete(c.held, id)
	}
}

// heldFor returns the messages that have been in hand for so long.
func (c *consumption) heldFor(d time.Duration) (old []jetstream.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.held {
		if time.Since(j.came) >= d {
			old = append(old, j.message)
		}
	}
	return old
}

// keepAlive tells the server of the messages that are still worked on, until ctx is done.
func (c *consumption) keepAlive(ctx context.Context) {
	// The server hears of each message at most half of AckWait after it came; the other half is for
	// a slow network.
	every := func() time.Duration { return max(c.ackWait()/4, time.Millisecond) }
	tick := time.NewTicker(every())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.changed:
			tick.Reset(every())
		case <-tick.C:
		}
		for _, m := range c.heldFor(every() / 2) {
			if err := m.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
				c.logger.Warn("cannot say that it is worked on", "subject", m.Subject(), "error", err)
			}
		}
	}
}

// ackLook is how often the consumer's AckWait is looked up while a message is in hand for longer
// than that. Nobody tells of a change.
const ackLook = time.Second

// watchAckWait follows the consumer's AckWait, until ctx is done.
func (c *consumption) watchAckWait(ctx context.Context) {
	tick := time.NewTicker(ackLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.again:
		case <-tick.C:
			if len(c.heldFor(ackLook)) == 0 {
				continue
			}
		}
		once, cancel := context.WithTimeout(ctx, ackMost) // the deadlines of messages depend on it
		info, err := c.consumer.Info(once)
		cancel()
		if err == nil && c.learn(info) {
			notify(c.changed)
		}
	}
}

// learn takes down the consumer's AckWait. It reports whether that is another one.
func (c *consumption) learn(info *jetstream.ConsumerInfo) bool {
	wait := info.Config.AckWait
	if len(info.Config.BackOff) > 0 { // takes the place of AckWait
		wait = slices.Min(info.Config.BackOff)
	}
	return c.waits.Swap(int64(wait)) != int64(wait)
}

func (c *consumption) ackWait() time.Duration { return time.Duration(c.waits.Load()) }

// notify leaves word in a channel that has room for one.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
