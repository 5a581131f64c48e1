package natslimit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Failures makes a message dead after its handler has failed n times, however often it
// was delivered. [Deliveries] then bounds only the deliveries without an answer: the
// worker died, or was cut off for longer than the consumer's AckWait. The server only
// counts deliveries. So the bucket kv records how the others ended, under a key that is
// deleted with the message, unless its acknowledgement was not confirmed: a TTL of the
// bucket removes it then. That costs only messages that fail or are given back.
// Errors made by [Uncounted] are not failures. The argument of [Backoff] is then the
// number of failures; after a panic, and where [DeadLetter] failed, that of the deliveries
// that were not given back. All workers of a consumer should use the same bucket. It
// panics unless n is at least 1 and kv is not nil.
func Failures(n int, kv jetstream.KeyValue) Option {
	if n < 1 || kv == nil {
		panic(fmt.Sprintf("sweetspot: Failures(%d, %v): want at least 1, and a bucket", n, kv))
	}
	return func(s *settings) { s.book = &book{kv, n} }
}

// Uncounted returns an error with the text of err, for failures that are not the
// message's fault: it comes back after its backoff, and with [Failures] that does not
// count. The Limiter classifies err itself. It returns nil if err is nil.
func Uncounted(err error) error {
	if err == nil {
		return nil
	}
	return &uncounted{err}
}

type uncounted struct{ error }

func (u *uncounted) Unwrap() error { return u.error }

// A FailuresError is the error of a message that has failed for good, as often as
// [Failures] allows or as [Permanent], if its worker then died, or could not have it
// recorded by [DeadLetter]. The handler is not called again.
type FailuresError struct {
	Failures int    // how often the handler failed
	Last     string // the beginning of what its last error said, "" if that is unknown
}

func (e *FailuresError) Error() string {
	return fmt.Sprintf("sweetspot: the message failed for good before, after %d failures, the last: %s", e.Failures, cmp.Or(e.Last, "unknown"))
}

// Final reports whether the message is dead if its handler fails now. It may be wrong
// if a killed server has forgotten a delivery. ctx must be that of the handler or of its
// function for [Record], or derived from it; otherwise Final panics.
func Final(ctx context.Context) bool {
	j, ok := ctx.Value(recordKey{}).(*job)
	if !ok {
		panic("sweetspot: Final outside of a handler: want the ctx that Consume gave it")
	}
	return j.final
}

// A book keeps how deliveries ended that did not end their message.
type book struct {
	kv   jetstream.KeyValue
	most int // failures of a message
}

// A past is what a book has about a message.
type past struct {
	Failed int       `json:"failed"`
	Back   int       `json:"back"`           // given back, not failed
	Last   string    `json:"last,omitempty"` // what the last failure said
	Over   bool      `json:"over,omitempty"` // no try is left, however few failed
	Stored time.Time `json:"stored"`         // tells the message from one of an earlier stream of the same name

	revision uint64
}

func bookKey(m *jetstream.MsgMetadata) string {
	return "tries." + keyName(m.Stream) + "." + keyName(m.Consumer) + "." + strconv.FormatUint(m.Sequence.Stream, 10)
}

func (b *book) read(ctx context.Context, m *jetstream.MsgMetadata) (past, error) {
	fresh := past{Stored: m.Timestamp}
	e, err := b.kv.Get(ctx, bookKey(m))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	fresh.revision = e.Revision()
	if p, ok := decode[past](e.Value()); ok && p.Stored.Equal(m.Timestamp) {
		p.revision = fresh.revision
		return p, nil
	}
	return fresh, nil
}

// add counts a delivery that failed, or was given back. What was known when it began stands in for
// a key that is gone: that of a bucket with a bound on the age of keys may not last as long as a handler.
func (b *book) add(ctx context.Context, m *jetstream.MsgMetadata, known, more past) (past, error) {
	for {
		p, err := b.read(ctx, m)
		if err != nil {
			return p, err
		}
		if p.revision == 0 && known.Stored.Equal(p.Stored) {
			p, p.revision = known, 0
		}
		p.Failed, p.Back = p.Failed+more.Failed, p.Back+more.Back
		if more.Failed > 0 {
			p.Last, p.Over = more.Last, more.Over
		}
		data, err := json.Marshal(p)
		if err != nil {
			return p, err
		}
		if p.revision == 0 {
			p.revision, err = b.kv.Create(ctx, bookKey(m), data)
		} else {
			p.revision, err = b.kv.Update(ctx, bookKey(m), data, p.revision)
		}
		if !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) { // else another worker had the message, too
			return p, err
		}
	}
}

// recall learns what became of earlier deliveries of j.
func (c *consumption) recall(ctx context.Context, j *job) error {
	if c.book == nil {
		j.final = j.deliveries >= c.deliveries
		return nil
	}
	if j.deliveries > 1 {
		ctx, cancel := context.WithTimeout(ctx, askMost)
		defer cancel()
		p, err := c.book.read(ctx, j.meta)
		if err != nil {
			return err
		}
		j.past = p
	}
	j.final = j.past.Failed+1 >= c.book.most
	return nil
}

// exhausted returns why the handler is not to be called again, nil if it may be.
func (c *consumption) exhausted(j *job) error {
	switch p := &j.past; {
	case c.book != nil && (p.Over || p.Failed >= c.book.most):
		return &FailuresError{Failures: p.Failed, Last: p.Last}
	case j.deliveries-1-p.Failed-p.Back >= c.deliveries:
		return ErrDeliveries
	}
	return nil
}

// enter takes down how a delivery of j ended. It asks until the server answers, or another
// worker may have j.
func (c *consumption) enter(j *job, more past) {
	if c.book == nil || j.meta == nil {
		return
	}
	patience := max(c.ackWait(), ackMost)
	if c.work.Err() != nil { // nobody wants to wait
		patience = ackMost
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), patience)
	defer cancel()
	for {
		once, done := context.WithTimeout(ctx, ackMost)
		p, err := c.book.add(once, j.meta, j.past, more)
		done()
		if err == nil {
			j.past = p
			return
		}
		if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
			// So it is while a server gets ready, and once the bucket is deleted.
			if _, gone := c.book.kv.Status(ctx); isGone(gone) {
				err = gone
			}
		}
		if ctx.Err() != nil || c.work.Err() != nil || isGone(err) {
			c.logger.Warn("not counted: it will look as if its worker had died", "subject", j.message.Subject(), "error", err)
			return
		}
		time.Sleep(ackPause)
	}
}

// failures returns how often j has failed, this time, with err, included.
func (c *consumption) failures(j *job, err error) (n, most int) {
	if c.book == nil {
		return j.deliveries, c.deliveries
	}
	if c.book.most > 1 {
		before := j.past.Failed
		c.enter(j, past{Failed: 1, Last: oneLine(err)})
		return max(j.past.Failed, before+1), c.book.most
	}
	return 1, 1
}

// giveBack puts back a message that was not handled to its end.
func (c *consumption) giveBack(j *job) {
	j.answered = true
	c.enter(j, past{Back: 1})
	c.nak(j, 0)
}

// putBack gives back a message that came too late to be handled.
func (c *consumption) putBack(m jetstream.Msg) {
	j, _ := c.hold(m)
	switch {
	case j == nil:
	case c.book == nil:
		c.giveBack(j)
	default:
		c.lanes.Go(func() { c.giveBack(j) }) // the bucket may be away
	}
}

// forget removes what the book has of a message that is over.
func (c *consumption) forget(j *job) {
	if c.book == nil || j.past.revision == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), ackMost)
	defer cancel()
	if err := c.book.kv.Purge(ctx, bookKey(j.meta)); err != nil {
		c.logger.Warn("a key of a message that is over is left", "key", bookKey(j.meta), "error", err)
	}
}
