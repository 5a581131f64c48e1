package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

func (s *service) bucket() jetstream.KeyValue {
	return must(s.js.CreateKeyValue(s.Context(), jetstream.KeyValueConfig{Bucket: "book"}))
}

// TestFailures: with Failures, deliveries that were given back or that nobody answered are
// no failures of the message, and the last failure is known as such.
func TestFailures(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	kv := s.bucket()
	s.push(0, 1)
	give := func() { // a worker that gets a signal to end
		ctx, cancel := context.WithCancel(t.Context())
		_ = s.work(ctx, sweetspot.New(), func(context.Context, jetstream.Msg) error {
			cancel()
			return errors.New("cut short")
		}, natslimit.Failures(2, kv), natslimit.Deliveries(3))
	}
	for range 5 {
		give()
	}
	for range 2 { // two workers that take it and die: nobody notes these deliveries
		must(0, must(s.consumer.Next(jetstream.FetchMaxWait(time.Minute))).Nak())
	}
	var mu sync.Mutex
	var final []bool
	var tries []int
	dead := make(chan error, 1)
	ouch, shy := errors.New("ouch"), errors.New("not its fault")
	end := s.consume(sweetspot.New(), func(ctx context.Context, m jetstream.Msg) error {
		mu.Lock()
		defer mu.Unlock()
		final = append(final, natslimit.Final(ctx))
		if len(final) == 1 {
			return natslimit.Uncounted(shy)
		}
		return ouch
	}, natslimit.Failures(2, kv), natslimit.Deliveries(3), natslimit.Backoff(func(n int) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		tries = append(tries, n)
		return time.Millisecond
	}), natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
		dead <- err
		return nil
	}))
	if err := <-dead; err != ouch {
		t.Errorf("it is dead because of %v, want %v", err, ouch)
	}
	s.eventually("it is gone", s.finished)
	must(0, end())
	if got := fmt.Sprint(final, tries); got != "[false false true] [1 1]" {
		t.Errorf("the final failures and the tries of Backoff are %s, want [false false true] [1 1]", got)
	}
	if _, err := kv.Get(t.Context(), "tries.jobs.work.1"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("the key of a message that is over: %v, want that it is gone", err)
	}
}

// TestFailuresBackoff: deliveries that were given back make no backoff longer, but dead letters that
// were not written do, and panics.
func TestFailuresBackoff(t *testing.T) {
	ouch := errors.New("ouch")
	for _, panics := range []bool{false, true} {
		s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
		kv := s.bucket()
		s.push(0, 1)
		for range 5 { // workers that get a signal to end
			ctx, cancel := context.WithCancel(t.Context())
			_ = s.work(ctx, sweetspot.New(), func(context.Context, jetstream.Msg) error {
				cancel()
				return ouch
			}, natslimit.Failures(9, kv))
		}
		var tries []int
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		work := func() {
			defer func() { _ = recover() }()
			_ = s.work(ctx, setTo(sweetspot.New(), 1), func(context.Context, jetstream.Msg) error {
				if panics {
					panic(ouch)
				}
				return natslimit.Permanent(ouch)
			}, natslimit.Failures(9, kv), natslimit.Backoff(func(n int) time.Duration {
				tries = append(tries, n)
				return time.Millisecond
			}), natslimit.DeadLetter(func(context.Context, jetstream.Msg, error) error {
				if len(tries) < 2 {
					return errors.New("no room")
				}
				cancel()
				return nil
			}))
		}
		if work(); panics {
			work()
		}
		if got := fmt.Sprint(tries); got != "[1 2]" {
			t.Errorf("panics %v: the tries of Backoff are %s, want [1 2]", panics, got)
		}
	}
}

// A mute consumer has messages whose acknowledgements are lost, as with a connection.
type mute struct{ jetstream.Consumer }

func (c mute) Messages(opts ...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	m, err := c.Consumer.Messages(opts...)
	return muteMessages{m}, err
}

type muteMessages struct{ jetstream.MessagesContext }

func (m muteMessages) Next(opts ...jetstream.NextOpt) (jetstream.Msg, error) {
	msg, err := m.MessagesContext.Next(opts...)
	return muteMessage{msg}, err
}

type muteMessage struct{ jetstream.Msg }

func (muteMessage) DoubleAck(context.Context) error { return nats.ErrTimeout }

// TestFailuresOfAMessageThatIsDone: what failed some times and is done, but comes again as its
// acknowledgement was lost, is not dead: its failures were answers.
func TestFailuresOfAMessageThatIsDone(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	kv := s.bucket()
	s.push(0, 1)
	options := []natslimit.Option{natslimit.Failures(9, kv), natslimit.Deliveries(5), natslimit.Backoff(soon),
		natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
			t.Errorf("it is dead because of %v", err)
			return nil
		})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls, reply := 0, ""
	err := natslimit.Consume(ctx, mute{s.consumer}, setTo(sweetspot.New(), 1), func(_ context.Context, m jetstream.Msg) error {
		if calls++; calls <= 4 {
			return errors.New("ouch")
		}
		reply = m.Reply()
		cancel()
		return nil
	}, options...)
	if err != context.Canceled || calls != 5 {
		t.Errorf("got %v after %d calls, want that it was cancelled after 5", err, calls)
	}
	must(0, s.nc.Publish(reply, []byte("-NAK"))) // AckWait is over
	end := s.consume(sweetspot.New(), func(context.Context, jetstream.Msg) error { calls++; return nil }, options...)
	s.eventually("it is gone", s.finished)
	must(0, end())
	if calls != 6 {
		t.Errorf("the handler was called %d times, want once more", calls)
	}
	if _, err := kv.Get(t.Context(), "tries.jobs.work.1"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("the key of a message that is over: %v, want that it is gone", err)
	}
}

// TestFailuresOfAnyName: the names of streams and consumers may hold what keys may not.
func TestFailuresOfAnyName(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	kv := s.bucket()
	ouch := errors.New("ouch")
	for _, name := range []string{"work:v2", "work=3Av2", "größe@#1"} {
		s.push(0, 1)
		consumer := must(s.stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
			Durable: name, AckPolicy: jetstream.AckExplicitPolicy, DeliverPolicy: jetstream.DeliverLastPolicy, AckWait: time.Second,
		}))
		ctx, cancel := context.WithCancelCause(t.Context())
		called := 0
		over := fmt.Errorf("%s is dead", name)
		err := natslimit.Consume(ctx, consumer, setTo(sweetspot.New(), 1), func(context.Context, jetstream.Msg) error {
			called++
			return ouch
		}, natslimit.Failures(2, kv), natslimit.Backoff(soon), natslimit.Share(natslimit.NewFleet(s.js, kv)),
			natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
				if err != ouch {
					t.Errorf("%s: it is dead because of %v, want %v", name, err, ouch)
				}
				cancel(over)
				return nil
			}))
		if err != over || called != 2 {
			t.Errorf("%s: got %v after %d calls, want %v after 2", name, err, called, over)
		}
	}
}

// TestFailuresExpire: a bucket that keeps keys for less time than a handler takes loses no failure.
func TestFailuresExpire(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
	kv := s.bucket()
	s.push(0, 1)
	var called atomic.Int64
	dead := make(chan error, 1)
	ouch := errors.New("ouch")
	end := s.consume(sweetspot.New(), func(ctx context.Context, _ jetstream.Msg) error {
		called.Add(1)
		must(0, kv.Purge(ctx, "tries.jobs.work.1"))
		return ouch
	}, natslimit.Failures(3, kv), natslimit.Deliveries(9), natslimit.Backoff(soon), natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
		dead <- err
		return nil
	}))
	if err := <-dead; err != ouch || called.Load() != 3 {
		t.Errorf("it is dead after %d calls because of %v, want 3, and %v", called.Load(), err, ouch)
	}
	s.eventually("it is gone", s.finished)
	must(0, end())
}

// TestFailuresPoison: a message that kills its worker each time is dead all the same, and
// so is one whose dead letter could not be written at once.
func TestFailuresPoison(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	kv := s.bucket()
	s.push(0, 1)
	for range 2 {
		must(0, must(s.consumer.Next(jetstream.FetchMaxWait(time.Minute))).Nak())
	}
	dead := make(chan error, 9)
	refused := errors.New("no room")
	end := s.consume(sweetspot.New(), func(context.Context, jetstream.Msg) error {
		t.Error("it was handled once more")
		return nil
	}, natslimit.Failures(100, kv), natslimit.Deliveries(2), natslimit.Backoff(soon), natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
		dead <- err
		if len(dead) == 1 {
			return refused
		}
		return nil
	}))
	s.eventually("it is gone", func() bool { return len(dead) == 2 && s.finished() })
	must(0, end())
	if err := <-dead; err != natslimit.ErrDeliveries {
		t.Errorf("got %v, want ErrDeliveries", err)
	}
}

// TestFailuresKnown: where the dead letter of a message that failed for good is not written at
// once, because that fails or the worker ends, it still tells of the failures, and the
// handler is not called again.
func TestFailuresKnown(t *testing.T) {
	ouch, refused := errors.New("ouch"), errors.New("no room")
	for _, test := range []struct {
		name         string
		most, called int
		err          error
	}{
		{"the only one", 1, 1, ouch},
		{"several", 3, 3, ouch},
		{"permanent", 3, 1, natslimit.Permanent(ouch)},
	} {
		for _, ends := range []bool{false, true} {
			t.Run(fmt.Sprint(test.name, ends), func(t *testing.T) {
				s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
				kv := s.bucket()
				s.push(0, 1)
				var called, buried atomic.Int64
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				work := func(ctx context.Context, bury func(error) error) {
					_ = s.work(ctx, sweetspot.New(), func(context.Context, jetstream.Msg) error {
						called.Add(1)
						return test.err
					}, natslimit.Failures(test.most, kv), natslimit.Deliveries(2), natslimit.Backoff(soon),
						natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error { return bury(err) }))
				}
				dead := make(chan error, 1)
				work(ctx, func(err error) error {
					switch {
					case buried.Add(1) > 1:
						dead <- err
						cancel()
						return nil
					case ends:
						cancel()
					}
					return refused
				})
				if ends {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					work(ctx, func(err error) error {
						dead <- err
						cancel()
						return nil
					})
				}
				var known *natslimit.FailuresError
				if err := <-dead; !errors.As(err, &known) || known.Failures != test.called || known.Last != "ouch" {
					t.Errorf("it is dead because of %v, want %d failures, the last ouch", err, test.called)
				}
				if n := int(called.Load()); n != test.called {
					t.Errorf("it was handled %d times, want %d", n, test.called)
				}
			})
		}
	}
}

// An away is a bucket that does not answer when it is read.
type away struct{ jetstream.KeyValue }

func (away) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	return nil, context.DeadlineExceeded
}

// TestNoHandlerNoOutcome: where the handler is not called, because the bucket does not answer or
// the message is dead, that is Ignored, whatever Classify makes of errors.
func TestNoHandlerNoOutcome(t *testing.T) {
	for _, test := range []struct {
		name string
		opts func(*service) []natslimit.Option
	}{
		{"bucket away", func(s *service) []natslimit.Option {
			return []natslimit.Option{natslimit.Failures(9, away{s.bucket()})}
		}},
		{"dead", func(*service) []natslimit.Option { return []natslimit.Option{natslimit.Deliveries(1)} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, jetstream.ConsumerConfig{AckWait: time.Second})
			s.push(0, 1)
			m := must(s.consumer.Next())
			must(0, m.Nak())
			l := sweetspot.New(sweetspot.Classify(func(err error) sweetspot.Outcome {
				if err != nil {
					return sweetspot.Overloaded
				}
				return sweetspot.Done
			}))
			end := s.consume(l, func(context.Context, jetstream.Msg) error {
				t.Error("the handler was called")
				return nil
			}, append(test.opts(s), natslimit.Backoff(soon))...)
			s.eventually("a unit has ended", func() bool { return l.Stats().Ignored+l.Stats().Overloads > 0 })
			must(0, end())
			if got := l.Stats(); got.Overloads != 0 || got.Completed != 0 {
				t.Errorf("%d overloads, %d done, %d ignored: want only ignored", got.Overloads, got.Completed, got.Ignored)
			}
		})
	}
}

// TestFailuresWithoutBucket: where the stream and the bucket are deleted while a handler runs, nobody
// waits for them to come back.
func TestFailuresWithoutBucket(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	kv := s.bucket()
	s.push(0, 1)
	began, deleted := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.work(t.Context(), sweetspot.New(), func(context.Context, jetstream.Msg) error {
			close(began)
			<-deleted
			return errors.New("ouch")
		}, natslimit.Failures(2, kv))
	}()
	<-began
	must(0, s.js.DeleteKeyValue(t.Context(), "book"))
	must(0, s.js.DeleteStream(t.Context(), "jobs"))
	close(deleted)
	select {
	case err := <-done:
		if !errors.Is(err, jetstream.ErrConsumerDeleted) && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
			t.Errorf("got %v, want that the consumer or its stream is gone", err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

func TestFailuresRefuses(t *testing.T) {
	for want, f := range map[string]func(){
		"sweetspot: Failures(0, <nil>): want at least 1": func() { natslimit.Failures(0, nil) },
		"sweetspot: Final outside of a handler":          func() { natslimit.Final(t.Context()) },
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, want) {
					t.Errorf("recovered %q, want %q", v, want)
				}
			}()
			f()
		}()
	}
	if natslimit.Uncounted(nil) != nil {
		t.Error("Uncounted(nil) is an error")
	}
}
