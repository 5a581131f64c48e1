package natslimit_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A service is a NATS server in this process, with one stream and a consumer.
type service struct {
	testing.TB
	server   *server.Server
	nc       *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	consumer jetstream.Consumer
}

// serve starts a server, with a consumer as cfg says.
func serve(t testing.TB, cfg jetstream.ConsumerConfig) *service {
	t.Helper()
	s := &service{TB: t}
	s.server = must(server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
	}))
	s.server.Start()
	t.Cleanup(func() { s.server.Shutdown(); s.server.WaitForShutdown() })
	if !s.server.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	s.nc, s.js = s.connect()
	s.stream = must(s.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs.>"}, Storage: jetstream.MemoryStorage}))
	cfg.Durable, cfg.AckPolicy = "work", jetstream.AckExplicitPolicy
	if cfg.MaxAckPending == 0 {
		cfg.MaxAckPending = -1
	}
	s.consumer = must(s.stream.CreateConsumer(t.Context(), cfg))
	return s
}

// connect opens a connection of its own.
func (s *service) connect() (*nats.Conn, jetstream.JetStream) {
	nc := must(nats.Connect("", nats.InProcessServer(s.server), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond)))
	s.Cleanup(nc.Close)
	return nc, must(jetstream.New(nc))
}

// worker returns the consumer over a connection of its own.
func (s *service) worker() (jetstream.Consumer, jetstream.JetStream) {
	_, js := s.connect()
	return must(js.Consumer(s.Context(), "jobs", "work")), js
}

// push publishes n messages: their numbers, from first on.
func (s *service) push(first, n int) {
	for i := range n {
		must(s.js.PublishAsync("jobs.a", fmt.Append(nil, first+i), jetstream.WithStallWait(time.Minute)))
	}
	select {
	case <-s.js.PublishAsyncComplete():
	case <-s.Context().Done():
	}
}

// info returns the present state of the consumer.
func (s *service) info() *jetstream.ConsumerInfo { return must(s.consumer.Info(s.Context())) }

// eventually waits for ok.
func (s *service) eventually(what string, ok func() bool) {
	s.Helper()
	for until := time.Now().Add(20*time.Second); !ok(); {
		if time.Now().After(until) {
			panic("never: "+what)
		}
		time.Sleep(time.Millisecond)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		panic(err)
	}
	return v
}
