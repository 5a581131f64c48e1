package asynqlimit

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
)

// A Server is an [asynq.Server] that takes as many tasks at a time as a Limiter allows.
// One that was stopped or shut down cannot be started.
type Server struct {
	server   *asynq.Server
	gate     *gate
	shutdown func()     // once; all callers wait for its end
	starting sync.Mutex // so that the gate is not closed within Start
}

// concurrencyMost stands for no bound but the limit: it is the default of
// [sweetspot.Max].
const concurrencyMost = 100_000

// NewServer is [asynq.NewServer] with a Limiter. cfg.Concurrency is an upper bound, or 0
// for none but those of the Limiter. It panics if limiter is nil, or r makes no client
// of go-redis.
func NewServer(r asynq.RedisConnOpt, cfg asynq.Config, limiter *sweetspot.Limiter) *Server {
	if limiter == nil {
		panic("sweetspot: NewServer without a Limiter: want one, such as sweetspot.New()")
	}
	client, ok := r.MakeRedisClient().(redis.UniversalClient)
	if !ok {
		panic(fmt.Sprintf("sweetspot: NewServer with a %T: want an option that makes a redis.UniversalClient, such as asynq.RedisClientOpt", r))
	}
	if cfg.Concurrency <= 0 {
		cfg.Concurrency = concurrencyMost
	}
	g := newGate(limiter, &cfg)
	client.AddHook(g)
	return newServer(client, cfg, g)
}

// newServer returns a server with a gate whose hooks are in cfg.
func newServer(client redis.UniversalClient, cfg asynq.Config, g *gate) *Server {
	s := &Server{server: asynq.NewServerFromRedisClient(client, cfg), gate: g}
	s.shutdown = sync.OnceFunc(func() {
		s.close()
		s.server.Shutdown() // waits in its first call alone: a second one must not close client under it
		s.gate.reclaim(0)   // the tasks that asynq can read have their contexts by now
		_ = client.Close()
	})
	return s
}

// Run is [Server.Start], a wait for SIGINT or SIGTERM, and [Server.Shutdown].
func (s *Server) Run(handler asynq.Handler) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := s.Start(handler); err != nil {
		return err
	}
	<-signals
	s.Shutdown()
	return nil
}

// Start begins to take tasks, and returns. The ctx given to handler carries the permit
// of its task (see [sweetspot.Limiter.Do]). It returns an error if handler is nil or the
// server was started before, and [asynq.ErrServerClosed] after Stop or Shutdown.
func (s *Server) Start(handler asynq.Handler) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.gate.open.Err() != nil {
		return asynq.ErrServerClosed // asynq forgets an end that came before the start
	}
	if handler == nil {
		return s.server.Start(nil)
	}
	return s.server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		return s.gate.handle(ctx, t, handler)
	}))
}

// Stop ends the taking of tasks; running handlers go on. Shutdown must follow.
func (s *Server) Stop() {
	s.close()
	s.server.Stop()
}

// close ends the taking of tasks, and forbids Start.
func (s *Server) close() {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.gate.close()
}

// Shutdown ends the taking of tasks, and waits for running handlers, at most
// [asynq.Config.ShutdownTimeout]. The tasks of those that still run then go back to
// Redis; their permits stay out until the handlers return. It closes the connections.
// A second call waits for the first.
func (s *Server) Shutdown() { s.shutdown() }

// Ping checks the connection to Redis.
func (s *Server) Ping() error { return s.server.Ping() }
