package natslimit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// TestWorkers asks two workers who they are: at work, while one drains, and after that.
func TestWorkers(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{MaxDeliver: -1})
	workers := func() []natslimit.Worker { return must(natslimit.Workers(t.Context(), s.nc, "jobs", "work")) }
	if all := workers(); len(all) > 0 {
		t.Fatalf("without workers there are %+v", all)
	}
	release := make(chan struct{})
	ends := map[string]chan error{"a": make(chan error, 1), "b": make(chan error, 1)}
	drains := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	stands := map[string]func() string{"a": func() string { return "full" }} // b says what its Limiter decided last
	for name, end := range ends {
		limiter := sweetspot.New(sweetspot.Start(3))
		limiter.SetLimit(2)
		nc, js := s.connect()
		consumer := must(js.Consumer(t.Context(), "jobs", "work"))
		go func() {
			end <- natslimit.Consume(t.Context(), consumer, limiter, func(ctx context.Context, m jetstream.Msg) error {
				select {
				case <-release:
				case <-ctx.Done():
				}
				return nil
			}, natslimit.Announce(nc, name, stands[name]), natslimit.Drain(drains[name]))
		}()
	}
	s.push(0, 8)
	// One that is late with its answer is missing.
	both := func(all []natslimit.Worker) bool {
		return len(all) == 2 && all[0].InFlight == 2 && all[1].InFlight == 2
	}
	var first, second []natslimit.Worker
	s.eventually("both hold two", func() bool { first = workers(); return both(first) })
	s.eventually("they still do", func() bool { second = workers(); return both(second) })
	for i, w := range second {
		if w.Name != string(rune('a'+i)) || w.Limit != 2 || w.Ended != 0 || w.Draining || (w.Why == "full") != (i == 0) || w.Why == "" || w.Occupancy <= first[i].Occupancy {
			t.Errorf("worker %d says %+v, and before %+v", i, w, first[i])
		}
	}
	close(drains["a"])
	s.eventually("a drains", func() bool { all := workers(); return len(all) == 2 && all[0].Draining && !all[1].Draining })
	close(release)
	if err := <-ends["a"]; err != nil {
		t.Error(err)
	}
	s.eventually("all are done", func() bool {
		all := workers()
		return len(all) == 1 && all[0].Name == "b" && all[0].Ended == 6 && all[0].InFlight == 0
	})
	close(drains["b"])
	if err := <-ends["b"]; err != nil {
		t.Error(err)
	}
	if all := workers(); len(all) > 0 {
		t.Errorf("after the workers there are %+v", all)
	}
}

// TestWorkersOfOneProcess: workers without a name have different ones all the same.
func TestWorkersOfOneProcess(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	nc, _ := s.connect()
	nothing := func(context.Context, jetstream.Msg) error { return nil }
	announce := natslimit.Announce(nc, "", nil)
	for range 2 {
		end := s.consume(sweetspot.New(), nothing, announce)
		defer func() { must(0, end()) }()
	}
	var all []natslimit.Worker
	s.eventually("both answer", func() bool {
		all = must(natslimit.Workers(t.Context(), nc, "jobs", "work"))
		return len(all) == 2
	})
	if all[0].Name == all[1].Name {
		t.Errorf("both are %s", all[0].Name)
	}
}

// TestWorkersEnds checks that the question ends with its context, and with the connection.
func TestWorkersEnds(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{})
	nc, _ := s.connect()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if _, err := natslimit.Workers(ctx, nc, "jobs", "work"); err != context.DeadlineExceeded {
		t.Errorf("a done context: %v", err)
	}
	s.address.Store("") // while the server is away, nobody knows whether there are workers
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.eventually("the client notices", func() bool { return !nc.IsConnected() })
	if all, err := natslimit.Workers(t.Context(), nc, "jobs", "work"); !errors.Is(err, nats.ErrDisconnected) {
		t.Errorf("a lost connection: %v, %v", all, err)
	}
	nc.Close()
	if _, err := natslimit.Workers(t.Context(), nc, "jobs", "work"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed connection: %v", err)
	}
}
