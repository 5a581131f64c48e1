package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// TestRecordHoldsNoPermit: 32 messages more than the limit are recorded without a permit
// beside those that run, and further ones keep it.
func TestRecordHoldsNoPermit(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 50)
	l := setTo(sweetspot.New(), 3)
	var recording, with, recorded atomic.Int64
	release := make(chan struct{})
	end := s.consume(l, func(ctx context.Context, m jetstream.Msg) error {
		natslimit.Record(ctx, func(context.Context) error { panic("this is not the last call") })
		natslimit.Record(ctx, func(ctx context.Context) error {
			if l.Holds(ctx) {
				with.Add(1)
			}
			recording.Add(1)
			<-release
			recorded.Add(1)
			return nil
		})
		return nil
	})
	s.eventually("38 are recorded", func() bool { return recording.Load() == 38 })
	if got := l.Stats(); with.Load() != 3 || got.InFlight != 3 || got.Completed != 35 {
		t.Errorf("%d are recorded with a permit, want 3; the Limiter says %+v", with.Load(), got)
	}
	if got := s.info(); got.NumAckPending != 38 || got.NumPending != 12 {
		t.Errorf("%d are delivered and %d not, want 38 and 12", got.NumAckPending, got.NumPending)
	}
	close(release)
	s.eventually("all are recorded", func() bool { return recorded.Load() == 50 && s.finished() })
	must(0, end())
	if got := s.info().Delivered.Consumer; got != 50 {
		t.Errorf("%d deliveries of 50 messages", got)
	}
}

// TestRecordInTheEnd: whoever leaves, or is cancelled, records what it has finished.
func TestRecordInTheEnd(t *testing.T) {
	for _, how := range []string{"drained", "cancelled"} {
		t.Run(how, func(t *testing.T) {
			s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
			s.push(0, 2)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			stop, release := make(chan struct{}), make(chan struct{})
			var recording, recorded atomic.Int64
			done := make(chan error, 1)
			go func() {
				done <- s.work(ctx, setTo(sweetspot.New(), 2), func(ctx context.Context, m jetstream.Msg) error {
					natslimit.Record(ctx, func(ctx context.Context) error {
						recording.Add(1)
						<-release
						if how == "cancelled" && number(m) == 1 {
							<-ctx.Done()
							return ctx.Err() // it heeds its ctx: not recorded
						}
						recorded.Add(1)
						return nil
					})
					return nil
				}, natslimit.Drain(stop))
			}()
			s.eventually("both are recorded", func() bool { return recording.Load() == 2 })
			cause, want, left := error(nil), int64(2), 0
			if how == "drained" {
				close(stop)
			} else {
				cause, want, left = errors.New("cause"), 1, 1
				cancel(cause)
			}
			select {
			case err := <-done:
				t.Fatalf("Consume returned %v before all was recorded", err)
			default:
			}
			close(release)
			if err := <-done; err != cause {
				t.Errorf("got %v, want %v", err, cause)
			}
			if got := recorded.Load(); got != want {
				t.Errorf("%d were recorded, want %d", got, want)
			}
			s.eventually("the other one is given back", func() bool { i := s.info(); return i.NumAckPending+int(i.NumPending) == left })
		})
	}
}

// TestRecordFails: what was not recorded comes again, until its deliveries are used up.
func TestRecordFails(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 4)
	full := errors.New("the disk is full")
	var c, dead tally
	l := setTo(sweetspot.New(), 2)
	end := s.consume(l, func(ctx context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		again := must(m.Metadata()).NumDelivered == 1
		natslimit.Record(ctx, func(context.Context) error {
			switch n := number(m); {
			case n == 0, n == 1 && again:
				return fmt.Errorf("wrapped: %w", full)
			case n == 2:
				return natslimit.Permanent(full)
			}
			return nil
		})
		return nil
	}, natslimit.Backoff(soon), natslimit.Deliveries(3), natslimit.DeadLetter(func(_ context.Context, m jetstream.Msg, err error) error {
		dead.begin(m)
		defer dead.end()
		if !errors.Is(err, full) {
			t.Errorf("message %d is dead because of %v, want what Record said", number(m), err)
		}
		return nil
	}))
	s.eventually("all are answered", func() bool { return c.different() == 4 && s.finished() })
	must(0, end())
	if got := fmt.Sprint(c.runs); got != "map[0:3 1:2 2:1 3:1]" {
		t.Errorf("handled %v, want map[0:3 1:2 2:1 3:1]", got)
	}
	if got := fmt.Sprint(dead.runs); got != "map[0:1 2:1]" {
		t.Errorf("dead %v, want map[0:1 2:1]", got)
	}
	if got := l.Stats(); got.Completed != 7 || got.InFlight != 0 {
		t.Errorf("the Limiter says %+v, want 7 completed: the work was done", got)
	}
}

// TestRecordFinal: what is recorded may depend on whether a failure now is the last.
func TestRecordFinal(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 1)
	ouch := errors.New("ouch")
	var said [2]any
	dead := make(chan error, 1)
	n := 0
	end := s.consume(setTo(sweetspot.New(), 1), func(ctx context.Context, m jetstream.Msg) error {
		natslimit.Record(ctx, func(ctx context.Context) error {
			func() {
				defer func() {
					if v := recover(); v != nil {
						said[n] = v
					}
				}()
				said[n] = natslimit.Final(ctx)
			}()
			n++
			return ouch
		})
		return nil
	}, natslimit.Backoff(soon), natslimit.Deliveries(2), natslimit.DeadLetter(func(_ context.Context, _ jetstream.Msg, err error) error {
		dead <- err
		return nil
	}))
	if err := <-dead; err != ouch || said != [2]any{false, true} {
		t.Errorf("Final says %v before it is dead because of %v, want [false true] and %v", said, err, ouch)
	}
	s.eventually("it is gone", s.finished)
	must(0, end())
}

func TestRecordPanics(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 1)
	func() {
		defer func() {
			p, ok := recover().(*sweetspot.PanicError)
			if !ok || p.Value != "ouch" || !strings.Contains(string(p.Stack), "TestRecordPanics") {
				t.Errorf("recovered %v, want a PanicError with the stack of what was to record", p)
			}
		}()
		s.work(t.Context(), sweetspot.New(), func(ctx context.Context, m jetstream.Msg) error {
			natslimit.Record(ctx, func(context.Context) error { panic("ouch") })
			return nil
		}, natslimit.Backoff(soon))
	}()
	exited := make(chan bool)
	go func() {
		returned := false
		defer func() { exited <- !returned && recover() == nil }()
		s.work(t.Context(), sweetspot.New(), func(ctx context.Context, m jetstream.Msg) error {
			natslimit.Record(ctx, func(context.Context) error { runtime.Goexit(); return nil })
			return nil
		}, natslimit.Backoff(soon))
		returned = true
	}()
	if !<-exited {
		t.Error("Consume did not call Goexit as Record's function did")
	}
	var once sync.Once
	outside := make(chan any, 1)
	end := s.consume(sweetspot.New(), func(ctx context.Context, m jetstream.Msg) error {
		natslimit.Record(ctx, func(ctx context.Context) error {
			defer func() {
				v := recover()
				once.Do(func() { outside <- v })
			}()
			natslimit.Record(ctx, func(context.Context) error { return nil })
			return nil
		})
		return nil
	})
	if v := <-outside; !strings.Contains(fmt.Sprint(v), "sweetspot: Record outside of a handler") {
		t.Errorf("recovered %v, want that it is outside of a handler", v)
	}
	s.eventually("the message was there, and is done", s.finished)
	must(0, end())
	func() {
		defer func() {
			if v := recover(); !strings.Contains(fmt.Sprint(v), "sweetspot: Record(nil)") {
				t.Errorf("recovered %v, want that nil is not a function", v)
			}
		}()
		natslimit.Record(t.Context(), nil)
	}()
}
