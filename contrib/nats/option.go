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
type Option func(*settings)

// settings are what the options of a Consume say.
type settings struct {
	deliveries int
	backoff    func(deliveries int) time.Duration
	deadLetter func(context.Context, jetstream.Msg, error) error
	drain      <-chan struct{}
	fleet      *Fleet
	presence   *presence // nil without Announce
	book       *book     // nil without Failures
	logger     *slog.Logger
	unheard    bool // no confirmation of acknowledgements is waited for
}

// defaultDeliveries is what a message gets in all. With the default backoff five
// of them span 15 s: long enough for the restart of a service, short enough for
// somebody who waits for the list of failures.
const defaultDeliveries = 5

func newSettings(opts []Option) settings {
	s := settings{deliveries: defaultDeliveries, backoff: defaultBackoff, logger: slog.New(slog.DiscardHandler)}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("sweetspot: Consume: option %d of %d is nil", i+1, len(opts)))
		}
		o(&s)
	}
	return s
}

// Deliveries sets how often a message may be delivered before it is dead; the default
// is 5. The server counts deliveries, including those that a crash or a cancelled
// context interrupted; [Failures] tells these apart. Set the consumer's own MaxDeliver
// to unlimited (-1). Consume refuses any other: once it is used up, the message stays in
// the stream and is never delivered again, and the handler and [DeadLetter] do not learn
// of it. It panics unless n is at least 1.
func Deliveries(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("sweetspot: Deliveries(%d): want at least 1", n))
	}
	return func(s *settings) { s.deliveries = n }
}

// Backoff sets how long a failed message waits, by the number of its deliveries so far.
// The default is 1 s, 2 s, 4 s and so on up to a minute, each randomly 20 % more or
// less, so that messages that failed together are not retried together. It panics if f
// is nil. Several goroutines may call f at a time.
func Backoff(f func(deliveries int) time.Duration) Option {
	if f == nil {
		panic("sweetspot: Backoff(nil): want a function")
	}
	return func(s *settings) { s.backoff = f }
}

func defaultBackoff(deliveries int) time.Duration {
	d := time.Minute
	if deliveries < 7 { // 2⁶ s is the first above a minute
		d = time.Second << (max(deliveries, 1) - 1)
	}
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// DeadLetter sets the function f for dead messages. A message is dead if its last
// delivery failed (see [Deliveries] and [Failures]), if it failed as [Permanent], or if
// it was delivered that often without an answer ([ErrDeliveries]). err is what the
// handler returned. When f returns nil, the message is terminated: the server does not
// deliver it again, and its advisory carries err's text. When f returns an error, the
// message comes back after its backoff. With Failures, f is then called again with a
// [FailuresError], without the handler; otherwise its deliveries continue to be
// counted.
//
// f runs under the permit of its message, unless the failure was in [Record], after the
// permit was given back. It may be called twice for one message, if a worker dies in
// between or the server does not learn of the end. So record dead messages by a key.
// Without DeadLetter dead messages are only terminated. It panics if f is nil.
func DeadLetter(f func(ctx context.Context, msg jetstream.Msg, err error) error) Option {
	if f == nil {
		panic("sweetspot: DeadLetter(nil): want a function")
	}
	return func(s *settings) { s.deadLetter = f }
}

// Drain ends the Consume when stop is closed: it takes no more messages, lets running
// handlers finish, with their ctx intact, and returns nil.
func Drain(stop <-chan struct{}) Option {
	return func(s *settings) { s.drain = stop }
}

// Unconfirmed sends the acknowledgement of a handled message without waiting for the
// server's confirmation, which saves a round trip for each. It is for handlers that
// always look for the result of a job before they do it. An acknowledgement may be lost
// with the connection, the process or the server. Then the message comes again after
// the consumer's AckWait: usually as one that is delivered more than once, but after a
// server was killed and has forgotten its deliveries, as one delivered for the first
// time. Only the record of a job then says that it is done.
//
// Consume may return before the server has received everything: flush the connection
// before the process ends. A [Fleet] counts a message as done when it is acknowledged.
func Unconfirmed() Option {
	return func(s *settings) { s.unheard = true }
}

// Share makes the worker one of a fleet that shares one limit. A Fleet serves one
// Consume at a time. It panics if f is nil.
func Share(f *Fleet) Option {
	if f == nil {
		panic("sweetspot: Share(nil): want a Fleet, see NewFleet")
	}
	return func(s *settings) { s.fleet = f }
}

// Logger writes faults that Consume handles to l: failed handlers, dead messages,
// unconfirmed acknowledgements, a server that does not answer. Without it nothing is
// logged. It panics if l is nil.
func Logger(l *slog.Logger) Option {
	if l == nil {
		panic("sweetspot: Logger(nil): want a logger, such as slog.Default()")
	}
	return func(s *settings) { s.logger = l }
}

// ErrDeliveries is the error of a message that was delivered as often as [Deliveries]
// allows without an answer to its last delivery: its worker died, or was cut off. The
// handler is not called again, because the message itself may kill workers.
var ErrDeliveries = errors.New("sweetspot: the message was delivered too often without an answer")

// Permanent returns an error with the text of err, for failures that a retry cannot
// change: a handler that returns it makes its message dead at once. The Limiter
// classifies err itself. It returns nil if err is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }
