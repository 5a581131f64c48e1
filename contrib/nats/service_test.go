package natslimit_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A service is a NATS server in this process, with one stream and a consumer.
type service struct {
	testing.TB
	options  server.Options
	server   *server.Server
	nc       *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	consumer jetstream.Consumer
	address  atomic.Value // of the server, a string; "" while it is away
}

// serve starts a server, with a consumer as cfg says.
func serve(t testing.TB, cfg jetstream.ConsumerConfig) *service {
	t.Helper()
	s := &service{TB: t}
	s.options = server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	s.start()
	t.Cleanup(func() { s.server.Shutdown(); s.server.WaitForShutdown() })
	s.nc, s.js = s.connect()
	s.stream = must(s.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs.>"}, Storage: jetstream.FileStorage}))
	cfg.Durable, cfg.AckPolicy = "work", jetstream.AckExplicitPolicy
	if cfg.MaxAckPending == 0 {
		cfg.MaxAckPending = -1
	}
	s.consumer = must(s.stream.CreateConsumer(t.Context(), cfg))
	return s
}

func (s *service) start() {
	s.options.Port = server.RANDOM_PORT // Start writes the one that it got
	s.server = must(server.NewServer(&s.options))
	s.server.Start()
	if !s.server.ReadyForConnections(time.Minute) {
		s.Fatal("the server does not start")
	}
	s.address.Store(s.server.Addr().String())
}

// restart ends the server, and starts it again with the same store. Somebody else may have
// taken its port by then.
func (s *service) restart() {
	s.address.Store("")
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.start()
}

// Dial connects to the server, wherever it is now.
func (s *service) Dial(string, string) (net.Conn, error) {
	return net.Dial("tcp", s.address.Load().(string))
}

// connect opens a connection of its own.
func (s *service) connect() (*nats.Conn, jetstream.JetStream) {
	nc := must(nats.Connect(s.server.ClientURL(), nats.SetCustomDialer(s), nats.Timeout(time.Minute), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond)))
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
	for until := time.Now().Add(2 * time.Minute); !ok(); {
		if time.Now().After(until) {
			panic("never: " + what)
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

// A syncWriter may be used by several goroutines.
type syncWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *syncWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(b)
}
