package natslimit_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A crew is some workers of one fleet.
type crew struct {
	*service
	kv      jetstream.KeyValue
	setup   func(*natslimit.Fleet)
	handle  natslimit.Handler
	options []natslimit.Option
	wg      sync.WaitGroup
}

func newCrew(s *service, handle natslimit.Handler, setup func(*natslimit.Fleet), opts ...natslimit.Option) *crew {
	return &crew{
		service: s, setup: setup, handle: handle, options: opts,
		kv: must(s.js.CreateKeyValue(s.Context(), jetstream.KeyValueConfig{Bucket: "fleet"})),
	}
}

// hire starts a worker with a connection of its own. It is told to leave by leave,
// or loses its connection by die.
func (c *crew) hire() (leave, die func()) {
	nc, js := c.connect()
	consumer := must(js.Consumer(c.Context(), "jobs", "work"))
	f := natslimit.NewFleet(js, must(js.KeyValue(c.Context(), "fleet")))
	f.Lease = 500 * time.Millisecond
	c.setup(f)
	stop := make(chan struct{})
	over := make(chan struct{})
	c.wg.Go(func() {
		defer close(over)
		natslimit.Consume(c.Context(), consumer, setTo(sweetspot.New(), 50), c.handle, append(c.options, natslimit.Share(f), natslimit.Drain(stop))...)
	})
	return func() { close(stop); <-over }, func() { nc.Close(); <-over }
}

func (c *crew) status() natslimit.FleetStatus {
	s, err := natslimit.LoadFleet(c.Context(), c.kv, "jobs", "work")
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		c.Error(err)
	}
	return s
}

func fixed(n int) func(*natslimit.Fleet) {
	return func(f *natslimit.Fleet) {
		f.Start = n
		f.Law = func() control.Controller { return control.NewFixed(n) }
	}
}

// TestFleetHolds: the limit is that of all workers together, from the moment on at
// which there is one.
func TestFleetHolds(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute, MaxAckPending: 1})
	const n = 200
	var c tally
	s.push(0, n)
	crew := newCrew(s, func(_ context.Context, m jetstream.Msg) error {
		c.begin(m)
		defer c.end()
		time.Sleep(time.Millisecond)
		return nil
	}, fixed(5))
	var leave []func()
	for range 3 {
		l, _ := crew.hire()
		leave = append(leave, l)
	}
	s.eventually("all are done", func() bool { return c.different() == n && s.finished() })
	s.eventually("the status says so", func() bool {
		s.push(n, 1) // at rest nothing is decided
		st := crew.status()
		return st.Limit == 5 && st.Workers == 3 && st.Leader != "" && len(st.Changes) > 0 && st.Changes[0].Why == "starts at 5: a fixed number"
	})
	for _, l := range leave {
		l()
	}
	if c.peak > 5 {
		t.Errorf("%d at a time under a limit of 5 for all", c.peak)
	}
	if got := s.info().Config.MaxAckPending; got != 5 {
		t.Errorf("MaxAckPending is %d, want the limit", got)
	}
}

// TestFleetFailsOver: when the elected worker leaves, or dies, another one goes on.
func TestFleetFailsOver(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Second})
	var handled atomic.Int64
	crew := newCrew(s, func(context.Context, jetstream.Msg) error {
		handled.Add(1)
		return nil
	}, fixed(4))
	leader := func() string { return crew.status().Leader }
	led := func(not ...string) string {
		var who string
		s.eventually("somebody leads", func() bool {
			s.push(0, 1) // at rest nothing is decided
			who = leader()
			for _, n := range not {
				if who == n {
					return false
				}
			}
			return who != ""
		})
		return who
	}
	leave, _ := crew.hire()
	first := led()
	_, die := crew.hire()
	leave() // gives the lease back
	second := led(first)
	last, _ := crew.hire()
	die() // does not
	led(first, second)
	// What the limit is, and that it is moved, survives all of them.
	must(s.js.UpdateConsumer(t.Context(), "jobs", func() jetstream.ConsumerConfig {
		cfg := s.info().Config
		cfg.MaxAckPending = 77
		return cfg
	}()))
	s.eventually("the limit is put right", func() bool { return s.info().Config.MaxAckPending == 4 })
	s.eventually("all are done", s.finished)
	last()
}

// A lateConsumer can be made to delay its answers, which then show a limit that somebody has changed.
type lateConsumer struct {
	jetstream.Consumer
	late    atomic.Bool
	release chan struct{}
}

func (c *lateConsumer) Info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	late := c.late.Load()
	info, err := c.Consumer.Info(ctx)
	if late && err == nil {
		info.Config.MaxAckPending = 77
		<-c.release
	}
	return info, err
}

// An ear listens for a word in a log.
type ear struct {
	word  string
	heard atomic.Bool
}

func (e *ear) Write(line []byte) (int, error) {
	if strings.Contains(string(line), e.word) {
		e.heard.Store(true)
	}
	return len(line), nil
}

// TestFleetActsUnderItsLeaseAlone: who was elected, and hears from the server only when
// another one is, leaves the consumer as it is by then.
func TestFleetActsUnderItsLeaseAlone(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
	crew := newCrew(s, func(context.Context, jetstream.Msg) error { return nil }, fixed(4))
	_, js := s.connect()
	first := &lateConsumer{Consumer: must(js.Consumer(t.Context(), "jobs", "work")), release: make(chan struct{})}
	release := sync.OnceFunc(func() { close(first.release) })
	defer release() // of a test that ends before
	f := natslimit.NewFleet(js, crew.kv)
	f.Lease = 500 * time.Millisecond
	fixed(4)(f)
	log := &ear{word: "another worker leads the fleet"}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- natslimit.Consume(t.Context(), first, sweetspot.New(), crew.handle, natslimit.Share(f), natslimit.Drain(stop),
			natslimit.Logger(slog.New(slog.NewTextHandler(log, nil))))
	}()
	led := func() string { return crew.status().Leader }
	s.eventually("the first one leads", func() bool { return led() != "" && s.info().Config.MaxAckPending == 4 })
	who := led()
	first.late.Store(true)
	leave, _ := crew.hire()
	s.eventually("another one leads", func() bool { return led() != who })
	cfg := s.info().Config
	cfg.AckWait = time.Hour
	must(s.js.UpdateConsumer(t.Context(), "jobs", cfg))
	if log.heard.Load() { // by chance, and it may lead again by now
		t.Skip("the first one lost its lease before it asked the server")
	}
	first.late.Store(false)
	release()
	s.eventually("the first one knows", log.heard.Load)
	if got := s.info().Config.AckWait; got != time.Hour {
		t.Errorf("AckWait is %v, want the hour to which it was changed", got)
	}
	leave()
	close(stop)
	must(0, <-done)
}

// TestFleetRetries: messages that wait for another try take nobody's place.
func TestFleetRetries(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
	const n = 40
	var good atomic.Int64
	crew := newCrew(s, func(_ context.Context, m jetstream.Msg) error {
		if number(m) < 10 {
			return errors.New("not now")
		}
		good.Add(1)
		return nil
	}, fixed(2), natslimit.Backoff(func(int) time.Duration { return time.Hour }))
	s.push(0, n)
	leave, _ := crew.hire()
	// Ten wait for an hour. Were they to count, nothing would be done until then.
	s.eventually("the others are done", func() bool { return good.Load() == n-10 })
	s.eventually("the ten are allowed for", func() bool { i := s.info(); return i.NumAckPending == 10 && i.Config.MaxAckPending == 12 })
	leave()
}

// TestFleetFinds: the search of the law works with what the workers report: from 2
// on it goes up, as jobs that only wait are done faster by more.
func TestFleetFinds(t *testing.T) {
	rerun.Skip(t)
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Minute})
	crew := newCrew(s, func(context.Context, jetstream.Msg) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}, func(f *natslimit.Fleet) { f.Start, f.Max = 2, 16 })
	s.push(0, 6000)
	var leave []func()
	for range 2 {
		l, _ := crew.hire()
		leave = append(leave, l)
	}
	grew := func() bool {
		if s.info().NumPending < 1000 {
			s.push(0, 1000) // a busy machine learns later
		}
		for _, c := range crew.status().Changes {
			if c.Kind == "grow" && strings.Contains(c.Why, "throughput") {
				return true
			}
		}
		return false
	}
	s.eventually("more are tried and found better", grew)
	s.eventually("the server is told", func() bool { n := s.info().Config.MaxAckPending; return n > 2 && n <= 16 })
	for _, l := range leave {
		l()
	}
}

func TestFleetRefuses(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	crew := newCrew(s, nil, nil)
	nothing := func(context.Context, jetstream.Msg) error { return nil }
	if _, err := natslimit.LoadFleet(t.Context(), crew.kv, "jobs", "work"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("got %v, want that there is none", err)
	}
	f := natslimit.NewFleet(s.js, crew.kv)
	over := make(chan struct{})
	close(over)
	for want, bounds := range map[string][2]int{"Min 20 is above Max 10: want": {20, 10}, "Min 200000 is above Max 100000: want": {200_000, 0}} {
		f.Min, f.Max = bounds[0], bounds[1]
		if err := natslimit.Consume(t.Context(), s.consumer, sweetspot.New(), nothing, natslimit.Share(f), natslimit.Drain(over)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want that the bounds contradict each other: %s", err, want)
		}
	}
	f.Min, f.Max = 0, 0
	handling := make(chan struct{})
	var once sync.Once
	end := s.consume(sweetspot.New(), func(context.Context, jetstream.Msg) error { once.Do(func() { close(handling) }); return nil }, natslimit.Share(f))
	s.push(0, 1)
	<-handling
	if err := natslimit.Consume(t.Context(), s.consumer, sweetspot.New(), nothing, natslimit.Share(f)); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v, want that the Fleet is in use", err)
	}
	must(0, end())
	must(0, s.js.DeleteKeyValue(t.Context(), "fleet"))
	if err := natslimit.Consume(t.Context(), s.consumer, sweetspot.New(), nothing, natslimit.Share(f)); err == nil || !strings.Contains(err.Error(), "bucket") {
		t.Errorf("got %v, want one about the bucket", err)
	}
}
