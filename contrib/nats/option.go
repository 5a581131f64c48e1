package natslimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An Option sets up one [Consume].
type Option interface{ apply(*settings) }

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// settings are what the options of a Consume say.
type settings struct {
	deliveries int
	backoff    func(deliveries int) time.Duration
	deadLetter func(context.Context, jetstream.Msg, error) error
	drain      <-chan struct{}
	fleet      *Fleet
	book       *book // nil without Failures
	logger     *slog.Logger
	unheard    bool // no confirmation of acknowledgements is waited for
}

// defaultDeliveries is what a message gets in all. With the default backoff five
// of them span 15 s: long enough for the restart of a service, short enough for
// somebody who waits for the list of failures.
const defaultDeliveries = 5

func newSettings(opts []Option) settings {
	s := settings{deliveries: defaultDeliveries, backoff: defaultBackoff, logger: slog.New(slog.DiscardHandler)}
	for _, o := range opts {
		o.apply(&s)
	}
	return s
}

// Deliveries sets how often a message may be delivered before it is dead; the
// default is 5. Deliveries are counted by the server, those included that a crash
// or a cancelled context cut short; [Failures] tells those apart. The consumer's own MaxDeliver should be
// unlimited (-1): when that is used up the server says nothing to anybody, and the
// message stays where it is. It panics unless n is at least 1.
func Deliveries(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("sweetspot: Deliveries(%d): want at least 1", n))
	}
	return option(func(s *settings) { s.deliveries = n })
}

// Backoff sets how long a message waits that has failed, by the number of its
// deliveries so far. The default is 1 s, 2 s, 4 s and so on up to a minute, each
// 20 % more or less, by chance, so that what failed together is not tried again
// together. It panics if f is nil. f may be called by several goroutines at a time.
func Backoff(f func(deliveries int) time.Duration) Option {
	if f == nil {
		panic("sweetspot: Backoff(nil): want a function")
	}
	return option(func(s *settings) { s.backoff = f })
}

func defaultBackoff(deliveries int) time.Duration {
	d := time.Minute
	if deliveries < 7 { // 2⁶ s is the first above a minute
		d = time.Second << (max(deliveries, 1) - 1)
	}
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// DeadLetter sets what is called for a message that is dead: its last delivery has
// failed (see [Deliveries] and [Failures]), or failed as [Permanent], or it was delivered
// that often and no worker lived to answer ([ErrDeliveries]). err is what the handler returned. When f
// returns nil, the message is terminated: the server does not deliver it again, and
// its advisory carries err's text. When f returns an error, the message comes back
// after its backoff. With Failures, f is then called again with a [FailuresError], without the
// handler; without, its deliveries go on to be counted.
//
// f runs under the permit of its message, unless what failed was to [Record] it after
// that was given back. It may be called twice for one message,
// if a worker dies in between or the server does not hear of the end: it should
// record what is dead by a key. Without DeadLetter dead messages are only
// terminated. It panics if f is nil.
func DeadLetter(f func(ctx context.Context, msg jetstream.Msg, err error) error) Option {
	if f == nil {
		panic("sweetspot: DeadLetter(nil): want a function")
	}
	return option(func(s *settings) { s.deadLetter = f })
}

// Drain ends the Consume when stop is closed: it takes no more messages, lets the
// handlers that run finish, with their ctx intact, and returns nil.
func Drain(stop <-chan struct{}) Option {
	return option(func(s *settings) { s.drain = stop })
}

// Unconfirmed lets the acknowledgement of a message that is handled be sent without
// waiting for the server to confirm it, which saves a round trip for each. It is for
// handlers that look for the result of a job before they do it, wherever it may have
// one: an acknowledgement that is lost, with the connection, the process or the server,
// lets its message come again after the consumer's AckWait, as one that is delivered more
// than once, or, from a server that was killed and has forgotten whom it gave what, as
// one delivered for the first time. The record of a job alone says then that it is done.
//
// Consume may return before the server has what it sent: flush the connection before
// the process ends. A [Fleet] counts a message as done when it is acknowledged.
func Unconfirmed() Option {
	return option(func(s *settings) { s.unheard = true })
}

// Share makes the worker one of a fleet that shares one limit. A Fleet serves one
// Consume at a time. It panics if f is nil.
func Share(f *Fleet) Option {
	if f == nil {
		panic("sweetspot: Share(nil): want a Fleet, see NewFleet")
	}
	return option(func(s *settings) { s.fleet = f })
}

// Logger sets where is written what goes wrong and is put right again: handlers
// that failed, dead messages, acknowledgements that were not confirmed, a server
// that does not answer. Without it nothing is. It panics if l is nil.
func Logger(l *slog.Logger) Option {
	if l == nil {
		panic("sweetspot: Logger(nil): want a logger, such as slog.Default()")
	}
	return option(func(s *settings) { s.logger = l })
}

// ErrDeliveries is the error of a message that was delivered as often as
// [Deliveries] allows without an answer to its last delivery: the worker that had it
// died, or was cut off. The handler is not called again, since it may be the message
// that kills.
var ErrDeliveries = errors.New("sweetspot: the message was delivered too often without an answer")

// Permanent returns an error that says the same as err, and that trying again is of
// no use: a handler that returns it makes its message dead at once. The Limiter
// judges err itself. It returns nil if err is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }
func (p *permanent) Unwrap() error { return p.err }
