package natslimit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
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

// work runs Consume.
func (s *service) work(ctx context.Context, l *sweetspot.Limiter, handle natslimit.Handler, opts ...natslimit.Option) error {
	return natslimit.Consume(ctx, s.consumer, l, handle, opts...)
}

// consume runs Consume in another goroutine until end is called, which returns its
// error.
func (s *service) consume(l *sweetspot.Limiter, handle natslimit.Handler, opts ...natslimit.Option) (end func() error) {
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.work(s.Context(), l, handle, append(opts, natslimit.Drain(stop))...)
	}()
	return func() error { close(stop); return <-done }
}

// finished reports whether nothing is left to do.
func (s *service) finished() bool {
	i := s.info()
	return i.NumPending == 0 && i.NumAckPending == 0
}

func TestFailuresComeAgain(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 10)
	busy := errors.New("busy")
	l := setTo(sweetspot.New(sweetspot.Classify(func(err error) sweetspot.Outcome {
		switch {
		case err == nil:
			return sweetspot.Done
		case errors.Is(err, busy):
			return sweetspot.Overloaded
		}
		return sweetspot.Ignored
	})), 3)
	var c tally
	var backoffs atomic.Int64
	end := s.consume(l, func(_ context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		switch n := number(m); {
		case n%2 == 0:
			return nil
		case must(m.Metadata()).NumDelivered < 3:
			return fmt.Errorf("wrapped: %w", busy)
		}
		return nil
	}, natslimit.Backoff(func(n int) time.Duration {
		backoffs.Add(int64(n))
		return time.Millisecond
	}))
	s.eventually("all are done", func() bool { return l.Stats().Completed == 10 && s.finished() })
	must(0, end())
	for n, runs := range c.runs {
		if want := 1 + 2*(n%2); runs != want {
			t.Errorf("message %d was handled %d times, want %d", n, runs, want)
		}
	}
	if got := l.Stats(); got.Overloads != 10 || got.Ignored < 0 || got.InFlight != 0 {
		t.Errorf("the Limiter says %+v, want 10 overloads", got)
	}
	if got := backoffs.Load(); got != 5*(1+2) {
		t.Errorf("the backoffs were asked for %d deliveries in all, want 15", got)
	}
}

func TestDeadLetters(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 3)
	failed, hopeless := errors.New("failed"), errors.New("hopeless")
	var c, dead tally
	var refused atomic.Bool
	l := sweetspot.New()
	end := s.consume(l, func(_ context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		switch number(m) {
		case 0:
			return failed
		case 1:
			return natslimit.Permanent(hopeless)
		}
		return nil
	}, natslimit.Deliveries(3), natslimit.Backoff(soon), natslimit.DeadLetter(func(ctx context.Context, m jetstream.Msg, err error) error {
		if number(m) == 0 && refused.CompareAndSwap(false, true) {
			return errors.New("the list of the dead is full")
		}
		dead.begin(m)
		defer dead.end()
		// Where the list was full the deliveries are used up meanwhile.
		if want := []error{natslimit.ErrDeliveries, hopeless}[number(m)]; err != want {
			t.Errorf("message %d is dead because of %v, want %v", number(m), err, want)
		}
		if !l.Holds(ctx) {
			t.Error("the ctx does not carry the permit")
		}
		return nil
	}))
	s.eventually("two are dead", func() bool { return dead.different() == 2 && s.finished() })
	must(0, end())
	if got := fmt.Sprint(c.runs); got != "map[0:3 1:1 2:1]" {
		t.Errorf("handled %v, want map[0:3 1:1 2:1]", got)
	}
	if got := fmt.Sprint(dead.runs); got != "map[0:1 1:1]" {
		t.Errorf("dead %v, want each once", got)
	}
}

// TestPoison: a message that kills its worker each time must not kill all.
func TestPoison(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: 50 * time.Millisecond})
	s.push(0, 1)
	for range 2 { // two workers that take it and die
		must(s.consumer.Next(jetstream.FetchMaxWait(time.Minute)))
	}
	why := make(chan error, 1)
	end := s.consume(sweetspot.New(), func(context.Context, jetstream.Msg) error {
		t.Error("it was handled once more")
		return nil
	}, natslimit.Deliveries(2), natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
		select {
		case why <- err:
		default: // on a slow machine it may come once more
		}
		return nil
	}))
	if err := <-why; err != natslimit.ErrDeliveries {
		t.Errorf("got %v, want ErrDeliveries", err)
	}
	s.eventually("it is gone", s.finished)
	must(0, end())
}

// TestLongJobs: what takes many times AckWait is delivered once.
func TestLongJobs(t *testing.T) {
	rerun.Skip(t)
	var deliveries []uint64
	for range 5 { // a machine that stands still for a second gives the server no word
		stood := standstill(func() {
			s := serve(t, jetstream.ConsumerConfig{AckWait: 2 * time.Second})
			s.push(0, 3)
			var c tally
			end := s.consume(setTo(sweetspot.New(), 3), func(_ context.Context, m jetstream.Msg) error {
				c.begin(m)
				defer c.end()
				time.Sleep(4500 * time.Millisecond)
				return nil
			})
			s.eventually("all are done", func() bool { return c.different() == 3 && s.finished() })
			must(0, end())
			deliveries = append(deliveries, s.info().Delivered.Consumer)
		})
		if slices.Contains(deliveries, 3) {
			return
		}
		if stood < 200*time.Millisecond {
			break
		}
	}
	t.Errorf("%d deliveries of 3 messages", deliveries)
}

// standstill calls f, and returns the longest time meanwhile for which this process did not run.
func standstill(f func()) time.Duration {
	stop, longest := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		var most time.Duration
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-tick.C:
			case <-stop:
				longest <- max(most, time.Since(last))
				return
			}
			most = max(most, time.Since(last))
		}
	}()
	f()
	close(stop)
	return <-longest
}

func TestPanics(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 2)
	var others atomic.Int64
	func() {
		defer func() {
			p, ok := recover().(*sweetspot.PanicError)
			if !ok || p.Value != "ouch" || !strings.Contains(string(p.Stack), "TestPanics") {
				t.Errorf("recovered %v, want a PanicError with the stack of the handler", p)
			}
		}()
		both := make(chan struct{})
		s.work(t.Context(), setTo(sweetspot.New(), 2), func(ctx context.Context, m jetstream.Msg) error {
			if number(m) == 0 {
				<-both
				panic("ouch")
			}
			close(both)
			<-ctx.Done()
			others.Add(1)
			return ctx.Err()
		}, natslimit.Backoff(soon))
	}()
	if others.Load() != 1 {
		t.Error("Consume panicked before the other handler had returned")
	}
	// Both messages are there for the next one.
	var c tally
	end := s.consume(sweetspot.New(), c.handle)
	s.eventually("both come again", func() bool { return c.different() == 2 && s.finished() })
	must(0, end())
}

func TestGoexit(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 1)
	exited := make(chan bool)
	go func() {
		returned := false
		defer func() { exited <- !returned && recover() == nil }()
		s.work(t.Context(), sweetspot.New(), func(context.Context, jetstream.Msg) error {
			runtime.Goexit()
			return nil
		}, natslimit.Backoff(soon))
		returned = true
	}()
	if !<-exited {
		t.Error("Consume did not call Goexit as its handler did")
	}
}

// TestAway: a server that comes back is worked for again, and nothing is lost.
func TestAway(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Second})
	const n = 60
	s.push(0, n)
	var log bytes.Buffer
	var c tally
	end := s.consume(setTo(sweetspot.New(), 4), func(_ context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		time.Sleep(time.Millisecond)
		return nil
	}, natslimit.Backoff(soon), natslimit.Deliveries(20), natslimit.Logger(slog.New(slog.NewTextHandler(&syncWriter{w: &log}, nil))))
	s.eventually("it is under way", func() bool { return c.different() > n/4 })
	s.restart()
	s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
	must(0, end())
}

// TestSeveralWorkers: no message is handled twice at a time, none is left.
func TestSeveralWorkers(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	const n = 600
	s.push(0, n)
	var c tally
	shared := setTo(sweetspot.New(), 5)
	var ends []func() error
	for range 3 { // behind one Limiter
		ends = append(ends, s.consume(shared, func(_ context.Context, m jetstream.Msg) error {
			c.begin(m)
			defer c.end()
			runtime.Gosched()
			return nil
		}))
	}
	s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
	for _, end := range ends {
		must(0, end())
	}
	if c.peak > 5 {
		t.Errorf("%d at a time under a limit of 5", c.peak)
	}
	if got := s.info().Delivered.Consumer; got != n {
		t.Errorf("%d deliveries of %d messages", got, n)
	}
	if got := shared.Stats(); got.InFlight != 0 || got.Waiting != 0 {
		t.Errorf("the Limiter says %+v", got)
	}
}

func TestConsumeRefuses(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{MaxDeliver: 6})
	nothing := func(context.Context, jetstream.Msg) error { return nil }
	// What is given back, or not recorded as dead, counts for the server, however often that is.
	for _, o := range []natslimit.Option{natslimit.Deliveries(2), natslimit.Deliveries(6), natslimit.Failures(2, s.bucket())} {
		bounded, over := context.WithTimeout(t.Context(), 10*time.Second)
		err := natslimit.Consume(bounded, s.consumer, sweetspot.New(), nothing, o)
		if over(); err == nil || !strings.Contains(err.Error(), "MaxDeliver 6") {
			t.Errorf("got %v, want one about MaxDeliver", err)
		}
	}
	lax := must(s.stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "lax", AckPolicy: jetstream.AckAllPolicy}))
	if err := natslimit.Consume(t.Context(), lax, sweetspot.New(), nothing); err == nil || !strings.Contains(err.Error(), "AckExplicit") {
		t.Errorf("got %v, want one about the policy", err)
	}
	hasty := must(s.stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
		Durable: "hasty", AckPolicy: jetstream.AckExplicitPolicy, MaxRequestExpires: 999 * time.Millisecond,
	}))
	if err := natslimit.Consume(t.Context(), hasty, sweetspot.New(), nothing); err == nil || !strings.Contains(err.Error(), "MaxRequestExpires 999ms") {
		t.Errorf("got %v, want one about MaxRequestExpires", err)
	}
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := natslimit.Consume(ctx, lax, sweetspot.New(), nothing); err != cause {
		t.Errorf("got %v, want the cause", err)
	}
	must(0, s.stream.DeleteConsumer(t.Context(), "lax"))
	if err := natslimit.Consume(t.Context(), lax, sweetspot.New(), nothing); !errors.Is(err, jetstream.ErrConsumerNotFound) {
		t.Errorf("got %v, want ErrConsumerNotFound", err)
	}
	l := sweetspot.New()
	for what, f := range map[string]func(){
		"no consumer": func() { natslimit.Consume(t.Context(), nil, l, nothing) },
		"no limiter":  func() { natslimit.Consume(t.Context(), lax, nil, nothing) },
		"no handler":  func() { natslimit.Consume(t.Context(), lax, l, nil) },
		"no option":   func() { natslimit.Consume(t.Context(), lax, l, nothing, nil) },
		"Deliveries":  func() { natslimit.Deliveries(0) },
		"Backoff":     func() { natslimit.Backoff(nil) },
		"DeadLetter":  func() { natslimit.DeadLetter(nil) },
		"Share":       func() { natslimit.Share(nil) },
		"Logger":      func() { natslimit.Logger(nil) },
		"NewFleet":    func() { natslimit.NewFleet(nil, nil) },
		"its own permit": func() {
			l.Do(t.Context(), func(ctx context.Context) error { return natslimit.Consume(ctx, lax, l, nothing) })
		},
	} {
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.HasPrefix(fmt.Sprint(v), "sweetspot: ") {
					t.Errorf("%s: recovered %v, want a panic that says what is wrong", what, v)
				}
			}()
			f()
		}()
	}
	if natslimit.Permanent(nil) != nil {
		t.Error("Permanent(nil) is not nil")
	}
}

// TestDeleted: the end of the consumer is the end of Consume.
func TestDeleted(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	s.push(0, 1)
	done := make(chan error)
	handled := make(chan struct{})
	go func() {
		done <- s.work(t.Context(), sweetspot.New(), func(context.Context, jetstream.Msg) error {
			close(handled)
			return nil
		})
	}()
	<-handled
	s.eventually("it waits for more", func() bool { return s.finished() && s.info().NumWaiting == 1 })
	must(0, s.stream.DeleteConsumer(t.Context(), "work"))
	if err := <-done; !errors.Is(err, jetstream.ErrConsumerDeleted) && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		t.Errorf("got %v, want that the consumer is gone", err)
	}
}

// TestDeletedUnderHandlers: nobody waits for a consumer that is gone to confirm what is done.
func TestDeletedUnderHandlers(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 2)
	began, release, done := make(chan struct{}, 2), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.work(t.Context(), setTo(sweetspot.New(), 2), func(ctx context.Context, m jetstream.Msg) error {
			if number(m) == 1 {
				natslimit.Record(ctx, func(context.Context) error { began <- struct{}{}; <-release; return nil })
				return nil
			}
			began <- struct{}{}
			<-release
			return nil
		})
	}()
	<-began
	<-began
	must(0, s.stream.DeleteConsumer(t.Context(), "work"))
	close(release)
	if err := <-done; !errors.Is(err, jetstream.ErrConsumerDeleted) && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		t.Errorf("got %v, want that the consumer was deleted", err)
	}
}

// That the consumer is gone is said once: the next error is only that the iterator is closed.
func TestDeletedAsPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := natslimit.Single(t.Context(), jetstream.ErrConsumerDeleted); !errors.Is(err, jetstream.ErrConsumerDeleted) {
			t.Errorf("got %v, want that the consumer was deleted", err)
		}
	})
}

func TestUnconfirmed(t *testing.T) {
	rerun.Skip(t)
	const jobs = 50
	for _, confirmed := range []bool{true, false} {
		t.Run(fmt.Sprint(confirmed), func(t *testing.T) {
			s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
			s.push(0, jobs)
			// What the server is told of messages, and whether it is to answer.
			var told, asked atomic.Int64
			sub := must(s.nc.Subscribe("$JS.ACK.>", func(m *nats.Msg) {
				if m.Reply != "" {
					asked.Add(1)
				}
				told.Add(1)
			}))
			defer sub.Unsubscribe()
			var opts []natslimit.Option
			if !confirmed {
				opts = append(opts, natslimit.Unconfirmed())
			}
			var c tally
			end := s.consume(setTo(sweetspot.New(), 3), c.handle, opts...)
			// More than once each, if a confirmation took long.
			s.eventually("all are acknowledged", func() bool { return s.finished() && told.Load() >= jobs })
			if err := end(); err != nil {
				t.Error(err)
			}
			if all := told.Load(); confirmed && asked.Load() < all || !confirmed && asked.Load() > 0 {
				t.Errorf("%d of %d acknowledgements ask for an answer", asked.Load(), all)
			}
			for n, runs := range c.runs {
				if runs != 1 {
					t.Errorf("message %d was handled %d times", n, runs)
				}
			}
		})
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
