package natslimit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A forgetful consumer is what a machine that is overloaded makes of one: of four
// batches three come back empty, as their time is over, and the first wait for a message
// after another one has sent no request, as happens when the client has read that one
// too soon.
type forgetful struct {
	jetstream.Consumer
	silent  jetstream.MessagesContext // has none
	batches atomic.Int64
	sent    atomic.Bool
}

func (c *forgetful) Fetch(n int, opts ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	if c.batches.Add(1)%4 != 0 {
		return emptyBatch{}, nil
	}
	return c.Consumer.Fetch(n, opts...)
}

type emptyBatch struct{}

func (emptyBatch) Error() error { return nil }
func (emptyBatch) Messages() <-chan jetstream.Msg {
	none := make(chan jetstream.Msg)
	close(none)
	return none
}

func (c *forgetful) Messages(opts ...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	m, err := c.Consumer.Messages(opts...)
	return &forgetfulMessages{m, c}, err
}

type forgetfulMessages struct {
	jetstream.MessagesContext
	c *forgetful
}

func (m *forgetfulMessages) Next(opts ...jetstream.NextOpt) (jetstream.Msg, error) {
	from := m.MessagesContext
	if !m.c.sent.Swap(true) {
		from = m.c.silent // as long as may be waited
	}
	msg, err := from.Next(opts...)
	if err == nil {
		m.c.sent.Store(false)
	}
	return msg, err
}

// TestBoundedRequests: no more is asked for at a time, nor for longer, than the consumer allows.
func TestBoundedRequests(t *testing.T) {
	for _, cfg := range []jetstream.ConsumerConfig{{MaxRequestBatch: 2}, {MaxRequestExpires: time.Second}} {
		cfg.AckWait = time.Hour
		s := serve(t, cfg)
		const n = 200
		s.push(0, n)
		var log bytes.Buffer
		var c tally
		end := s.consume(setTo(sweetspot.New(), 8), c.handle, natslimit.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
		s.eventually("it waits for more", func() bool { return s.info().NumWaiting == 1 })
		must(0, end())
		if log.Len() > 0 {
			t.Errorf("MaxRequestBatch %d, MaxRequestExpires %v: logged %s", cfg.MaxRequestBatch, cfg.MaxRequestExpires, &log)
		}
	}
}

// TestPaused: while a consumer is paused, no permit is held for its messages.
func TestPaused(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	const n = 10
	s.push(0, n)
	l := setTo(sweetspot.New(), 2)
	var c tally
	pause := sync.OnceFunc(func() { must(s.stream.PauseConsumer(t.Context(), "work", time.Now().Add(time.Hour))) })
	end := s.consume(l, func(ctx context.Context, m jetstream.Msg) error {
		pause()
		return c.handle(ctx, m)
	})
	s.eventually("it comes to rest", func() bool {
		for range 100 {
			if i := s.info(); !i.Paused || i.NumPending == 0 || i.NumWaiting != 1 || l.Stats().InFlight > 0 {
				return false
			}
		}
		return true
	})
	must(s.stream.ResumeConsumer(t.Context(), "work"))
	s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
	must(0, end())
}

// TestForgetful: that nothing comes does not mean that there is nothing.
func TestForgetful(t *testing.T) {
	rerun.Skip(t)
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	nothing := must(s.stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{FilterSubject: "jobs.none", AckPolicy: jetstream.AckExplicitPolicy}))
	silent := must(nothing.Messages())
	defer silent.Stop()
	for _, limit := range []int{1, 4} {
		const n = 60
		s.push(0, n)
		var c tally
		stop, done := make(chan struct{}), make(chan error, 1)
		go func() {
			done <- natslimit.Consume(t.Context(), &forgetful{Consumer: s.consumer, silent: silent}, setTo(sweetspot.New(), limit),
				c.handle, natslimit.Drain(stop))
		}()
		s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
		close(stop)
		must(0, <-done)
	}
}

// A strict consumer, or bucket, tells of questions whose answers may be waited for as long as the
// whole Consume lasts.
type strict struct {
	jetstream.Consumer
	jetstream.KeyValue
	t     *testing.T
	asked atomic.Int64
}

func (s *strict) ask(ctx context.Context) {
	s.asked.Add(1)
	if until, ok := ctx.Deadline(); ok && time.Until(until) > time.Minute {
		s.t.Helper()
		s.t.Errorf("an answer that is lost is waited for during %v", time.Until(until))
	}
}

func (s *strict) Info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	s.ask(ctx)
	return s.Consumer.Info(ctx)
}

func (s *strict) Fetch(n int, opts ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	if s.asked.Load() == 1 { // it is to ask again
		return emptyBatch{}, nil
	}
	return s.Consumer.Fetch(n, opts...)
}

func (s *strict) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	s.ask(ctx)
	return s.KeyValue.Get(ctx, key)
}

// A silent consumer does not answer.
type silent struct{ jetstream.Consumer }

func (silent) Info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAwayAtFirst: a server that does not answer at the beginning ends Consume. The error does not say that
// the deadline of the caller is over.
func TestAwayAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		err := natslimit.Consume(ctx, silent{}, sweetspot.New(), func(context.Context, jetstream.Msg) error { return nil })
		if took := time.Since(began); took != 5*time.Second || !errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v, want a timeout of the client after 5s", took, err)
		}
	})
}

// TestLostAnswers: an answer of the server that is lost, as while that restarts, holds up no Consume
// whose ctx has a deadline far away. Of a ctx without one the client takes care.
func TestLostAnswers(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	consumer, bucket := &strict{Consumer: s.consumer, t: t}, &strict{KeyValue: s.bucket(), t: t}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, test := range []struct {
		name  string
		asked *strict
		times int64
		held  int // permits
		opt   natslimit.Option
	}{
		{"a batch is empty", consumer, 2, 0, natslimit.Deliveries(9)},
		{"no permit is free", consumer, 2, 4, natslimit.Deliveries(9)},
		{"a message has failed", bucket, 1, 0, natslimit.Failures(9, bucket)},
		{"one of a fleet", bucket, 1, 0, natslimit.Share(natslimit.NewFleet(s.js, bucket))},
	} {
		t.Run(test.name, func(t *testing.T) {
			consumer.t, bucket.t = t, t
			l := setTo(sweetspot.New(), 4)
			var failed atomic.Bool
			for range test.held {
				must(0, l.Acquire(ctx))
			}
			test.asked.asked.Store(0)
			stop, done := make(chan struct{}), make(chan error, 1)
			go func() {
				done <- natslimit.Consume(ctx, consumer, l, func(context.Context, jetstream.Msg) error {
					if failed.Swap(true) {
						return nil
					}
					return errors.New("ouch")
				}, test.opt, natslimit.Drain(stop), natslimit.Backoff(soon))
			}()
			if test.held == 0 {
				s.push(0, 20)
			}
			s.eventually("it asks", func() bool { return test.asked.asked.Load() >= test.times && (test.held > 0 || s.finished()) })
			close(stop)
			must(0, <-done)
		})
	}
}
