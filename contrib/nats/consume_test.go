package natslimit_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// tally counts what handlers did, by the number in the message.
type tally struct {
	mu   sync.Mutex
	runs map[int]int
	now  int // running
	peak int
}

func (c *tally) begin(m jetstream.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[int]int{}
	}
	c.runs[number(m)]++
	c.now++
	c.peak = max(c.peak, c.now)
}

func (c *tally) end() {
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
}

// handle is a handler that does no more than to be counted.
func (c *tally) handle(_ context.Context, m jetstream.Msg) error {
	c.begin(m)
	defer c.end()
	return nil
}

func (c *tally) different() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.runs)
}

func number(m jetstream.Msg) int { return must(strconv.Atoi(string(m.Data()))) }

// soon is a backoff that does not hold tests up.
func soon(int) time.Duration { return time.Millisecond }

func TestConsumeHandlesAll(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	const n = 800
	s.push(0, n/2)
	l := setTo(sweetspot.New(), 7)
	var c tally
	stop := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.work(t.Context(), l, func(ctx context.Context, m jetstream.Msg) error {
			c.begin(m)
			defer c.end()
			if !l.Holds(ctx) {
				t.Error("the ctx does not carry the permit")
			}
			runtime.Gosched()
			return nil
		}, natslimit.Drain(stop))
	}()
	s.eventually("half", func() bool { return c.different() == n/2 })
	s.eventually("nothing is in flight at rest", func() bool { return l.Stats().InFlight == 0 })
	s.push(n/2, n/2)
	s.eventually("all", func() bool { return c.different() == n })
	s.eventually("all are acknowledged", func() bool { i := s.info(); return i.NumAckPending == 0 && i.NumPending == 0 })
	close(stop)
	if err := <-done; err != nil {
		t.Errorf("got %v, want nil after Drain", err)
	}
	for i, runs := range c.runs {
		if runs != 1 {
			t.Errorf("message %d was handled %d times", i, runs)
		}
	}
	if c.peak > 7 {
		t.Errorf("%d at a time under a limit of 7", c.peak)
	}
	if got := l.Stats(); got.Completed != n || got.InFlight != 0 || got.Waiting != 0 {
		t.Errorf("the Limiter says %+v", got)
	}
}

// TestConsumeTakesNoMore: what is delivered is what there are permits for.
func TestConsumeTakesNoMore(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	s.push(0, 50)
	l := setTo(sweetspot.New(), 3)
	var running atomic.Int64
	release := make(chan struct{})
	stop := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.work(t.Context(), l, func(context.Context, jetstream.Msg) error {
			running.Add(1)
			<-release
			return nil
		}, natslimit.Drain(stop))
	}()
	s.eventually("three run", func() bool { return running.Load() == 3 })
	if got := s.info(); got.NumAckPending != 3 || got.NumPending != 47 {
		t.Errorf("%d are delivered and %d not, want 3 and 47", got.NumAckPending, got.NumPending)
	}
	s.eventually("the Limiter sees that it holds back", func() bool { return l.Stats().Waiting == 1 })
	l.SetLimit(5)
	s.eventually("five run", func() bool { return running.Load() == 5 })
	if got := s.info(); got.NumAckPending != 5 {
		t.Errorf("%d are delivered, want 5", got.NumAckPending)
	}
	close(stop)
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := s.info(); got.NumAckPending != 0 || got.NumPending != 45 {
		t.Errorf("after Drain %d are delivered and %d not, want 0 and 45", got.NumAckPending, got.NumPending)
	}
}

// TestDrainAtOnce: who has closed the channel of Drain gets no message more, though the permit
// of the last one is free before anybody else has heard of it.
func TestDrainAtOnce(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	for range 50 {
		s.push(0, 1)
		handled, stop := 0, make(chan struct{})
		if err := s.work(t.Context(), setTo(sweetspot.New(), 1), func(context.Context, jetstream.Msg) error {
			if handled++; handled == 1 {
				s.push(1, 1)
				close(stop)
			}
			return nil
		}, natslimit.Drain(stop)); err != nil {
			t.Fatal(err)
		}
		if handled != 1 {
			t.Fatalf("%d messages were handled, of which the first was to be the last", handled)
		}
		must(0, must(s.consumer.Next(jetstream.FetchMaxWait(time.Minute))).DoubleAck(t.Context()))
	}
}

// TestConsumeCancel: what is in hand goes back at once.
func TestConsumeCancel(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.push(0, 20)
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	var running atomic.Int64
	done := make(chan error)
	go func() {
		done <- s.work(ctx, setTo(sweetspot.New(), 4), func(ctx context.Context, m jetstream.Msg) error {
			running.Add(1)
			<-ctx.Done()
			if number(m) == 0 {
				return nil // finishes all the same
			}
			return ctx.Err()
		})
	}()
	s.eventually("four run", func() bool { return running.Load() == 4 })
	cancel(cause)
	if err := <-done; err != cause {
		t.Errorf("got %v, want the cause", err)
	}
	var c tally
	stop := make(chan struct{})
	go func() {
		done <- s.work(t.Context(), sweetspot.New(), c.handle, natslimit.Drain(stop))
	}()
	s.eventually("the others are handled", func() bool { return c.different() == 19 })
	close(stop)
	<-done
	if c.runs[0] != 0 {
		t.Error("the message that was finished came again")
	}
}

// TestConsumeAckWaitLowered: a consumer's AckWait that is lowered holds for a message in hand, too,
// and where the word for it came too late, it is not handled twice at a time.
func TestConsumeAckWaitLowered(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	var words atomic.Int64
	must(s.nc.Subscribe("$JS.ACK.>", func(m *nats.Msg) {
		if string(m.Data) == "+WPI" {
			words.Add(1)
		}
	}))
	must(0, s.nc.Flush())
	s.push(0, 1)
	var c tally
	began, release := make(chan jetstream.Msg, 100), make(chan struct{})
	end := s.consume(setTo(sweetspot.New(), 20), func(_ context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		if number(m) == 0 {
			began <- m
			<-release
		}
		return nil
	}, natslimit.Deliveries(100))
	m := <-began
	cfg := s.info().Config
	cfg.AckWait = 500 * time.Millisecond
	must(s.js.UpdateConsumer(t.Context(), "jobs", cfg))
	s.eventually("the server hears of it as often as that needs", func() bool { return words.Load() > 2 })
	must(0, s.nc.Publish(m.Reply(), []byte("-NAK")))
	s.eventually("it comes again", func() bool { return s.info().NumRedelivered > 0 })
	s.push(1, 1)
	s.eventually("what came after it is done", func() bool { return c.different() == 2 })
	c.mu.Lock()
	if n := c.runs[0]; n != 1 {
		t.Errorf("it is handled %d times, want once", n)
	}
	c.mu.Unlock()
	close(release)
	s.eventually("all is done", s.finished)
	must(0, end())
}
