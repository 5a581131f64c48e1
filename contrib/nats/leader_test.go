package natslimit

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A server answers a leader at once, from memory, but passes no questions to workers.
type server struct {
	jetstream.JetStream
	config jetstream.ConsumerConfig
}

func (s *server) Conn() *nats.Conn { return nil }

func (s *server) UpdateConsumer(ctx context.Context, _ string, cfg jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	if ctx.Err() == nil {
		s.config = cfg
	}
	return nil, ctx.Err()
}

// A configured is the consumer at a server.
type configured struct {
	jetstream.Consumer
	s *server
}

func (c configured) Info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	return &jetstream.ConsumerInfo{Config: c.s.config}, ctx.Err()
}

// A bucket takes all that is written.
type bucket struct{ jetstream.KeyValue }

func (bucket) Put(ctx context.Context, _ string, _ []byte) (uint64, error) { return 1, ctx.Err() }

func (bucket) Update(ctx context.Context, _ string, _ []byte, last uint64) (uint64, error) {
	return last + 1, ctx.Err()
}

func (bucket) Delete(context.Context, string, ...jetstream.KVDeleteOpt) error {
	return errors.New("keys are kept")
}

// elected returns a leader of that server whose lease has just begun.
func elected(s *server, length time.Duration) *leader {
	c := &consumption{settings: settings{logger: slog.New(slog.DiscardHandler)}, consumer: configured{s: s}}
	f := &Fleet{Lease: length, js: s, kv: bucket{}, c: c}
	return &leader{Fleet: f, lease: &lease{f, 1, time.Now()}, inbox: "inbox", replies: make(chan *nats.Msg, 16), crew: map[string]*member{}}
}

// TestAShortLeaseEndsNoWaitForAnswers: a worker that leaves an idle fleet is waited for
// until it counts as gone, and the leader goes on meanwhile.
func TestAShortLeaseEndsNoWaitForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{config: jetstream.ConsumerConfig{MaxAckPending: 4}}
		d := elected(s, 200*time.Millisecond)
		d.limit = 4
		workers := []string{"a", "b"}
		for i := range 120 {
			if !d.lease.holds(t.Context()) {
				t.Fatal("the lease is lost")
			}
			d.asked++
			reply := d.reply() // to the question that the step asks
			d.asked--
			for _, w := range workers {
				d.replies <- &nats.Msg{Subject: reply, Data: encode(report{Worker: w})}
			}
			ctx, done := d.lease.during(t.Context())
			if err := d.step(ctx); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			done()
			time.Sleep(d.interval())
			workers = []string{"a"}
		}
		if d.crew["a"] == nil || d.crew["b"] != nil {
			t.Errorf("the crew is %v, want a alone", d.crew)
		}
	})
}

// TestAShortLeaseIsRenewedInTime: who wants the lease takes it if it is not renewed for half
// of its length.
func TestAShortLeaseIsRenewedInTime(t *testing.T) {
	for _, length := range []time.Duration{40 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 0} {
		d := elected(&server{}, length)
		for _, d.idle = range []bool{true, false} {
			// It is renewed at the first step after a quarter of its length.
			if oldest := d.Fleet.lease()/4 + d.interval(); oldest >= d.Fleet.lease()/2 {
				t.Errorf("a lease of %v, idle %v: renewed only after %v", d.Fleet.lease(), d.idle, oldest)
			}
		}
	}
}

// TestLastActIsUnderTheLease: what was tried ends with who tried it, also if the last
// renewal is older than the lease may be.
func TestLastActIsUnderTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{config: jetstream.ConsumerConfig{MaxAckPending: 8}}
		d := elected(s, time.Second)
		d.limit, d.stands = 8, 4
		time.Sleep(time.Second)
		d.end(t.Context())
		if got := s.config.MaxAckPending; got != 4 {
			t.Errorf("MaxAckPending is %d, want the 4 from before the experiment", got)
		}
	})
}

// TestLateAnswersDoNotStandForNewOnes has two workers answer one question after the
// reading that asked it. The next reading must wait for the answers to its own: those
// of the last one tell of the time before the limit changed.
func TestLateAnswersDoNotStandForNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &leader{Fleet: &Fleet{}, inbox: "inbox", replies: make(chan *nats.Msg, 16), crew: map[string]*member{}}
		workers := []string{"a", "b"}
		answer := func(subject string, completed int64) {
			for _, w := range workers {
				d.replies <- &nats.Msg{Subject: subject, Data: encode(report{Worker: w, Completed: completed})}
			}
		}
		read := func(after time.Duration, completed int64) (took time.Duration) {
			d.asked++
			reply := d.reply()
			go func() {
				time.Sleep(after)
				answer(reply, completed)
			}()
			began := time.Now()
			d.gather(context.Background(), 20*time.Millisecond)
			return time.Since(began)
		}
		read(time.Millisecond, 10) // who they are is not known before
		if took := read(2*time.Millisecond, 20); took != 2*time.Millisecond || d.reading.Completed != 20 {
			t.Errorf("a reading took %v and saw %d completed, want those of 2 workers, 10 each, after 2ms", took, d.reading.Completed)
		}
		if took := read(30*time.Millisecond, 30); took != 20*time.Millisecond || d.reading.Completed != 20 {
			t.Errorf("a reading without answers took %v and saw %d completed, want 20 after 20ms", took, d.reading.Completed)
		}
		time.Sleep(20 * time.Millisecond)
		if took := read(time.Millisecond, 50); took != time.Millisecond || d.reading.Completed != 80 {
			t.Errorf("a reading after late answers took %v and saw %d completed, want 80 after 1ms", took, d.reading.Completed)
		}
	})
}
