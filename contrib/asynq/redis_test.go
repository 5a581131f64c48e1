package asynqlimit_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
)

func TestMain(m *testing.M) {
	if socket := adaptertest.Worker(); socket != "" {
		work(socket)
		return
	}
	code := m.Run()
	if stopRedis != nil {
		stopRedis()
	}
	os.Exit(code)
}

var (
	stopRedis   func()
	errNoServer = errors.New("no redis-server here: make deps installs it")
)

// startRedis runs a server for all tests of this process, and returns its socket. The
// server ends with standard input, so that it cannot outlive this process.
var startRedis = sync.OnceValues(func() (socket string, err error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return "", errNoServer
	}
	dir, err := os.MkdirTemp("", "asynqlimit")
	if err != nil {
		return "", err
	}
	socket = filepath.Join(dir, "redis.sock")
	c := exec.Command("sh", "-c", `"$0" --port 0 --unixsocket "$1" --save "" >"$1.log" & cat; kill $!; wait`, program, socket)
	stdin, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", err
	}
	stopRedis = func() {
		_ = stdin.Close()
		_ = c.Wait()
		_ = os.RemoveAll(dir)
	}
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket})
	defer client.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err := client.Ping(context.Background()).Err(); err == nil || time.Now().After(end) {
			return socket, err
		}
	}
})

// A bed is an empty Redis.
type bed struct {
	t         testing.TB
	opt       asynq.RedisClientOpt
	client    *asynq.Client
	inspector *asynq.Inspector
	redis     *redis.Client
}

func newBed(t testing.TB) *bed {
	t.Helper()
	socket, err := startRedis()
	if errors.Is(err, errNoServer) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	opt := asynq.RedisClientOpt{Network: "unix", Addr: socket}
	b := &bed{t, opt, asynq.NewClient(opt), asynq.NewInspector(opt), opt.MakeRedisClient().(*redis.Client)}
	if err := b.redis.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range []io.Closer{b.client, b.inspector, b.redis} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return b
}

// enqueue adds n tasks.
func (b *bed) enqueue(n int, opts ...asynq.Option) {
	for range n {
		if _, err := b.client.Enqueue(asynq.NewTask("mail", nil), opts...); err != nil {
			b.t.Fatal(err)
		}
	}
}

// unreadable adds a message that asynq cannot read, to be taken first.
func (b *bed) unreadable() {
	if err := errors.Join(b.redis.HSet(b.t.Context(), "asynq:{default}:t:bad", "msg", "\xff\xff", "state", "pending").Err(),
		b.redis.RPush(b.t.Context(), "asynq:{default}:pending", "bad").Err()); err != nil {
		b.t.Fatal(err)
	}
}

// eventually waits until a queue is as wanted.
func (b *bed) eventually(what string, ok func(q *asynq.QueueInfo) bool) {
	b.t.Helper()
	var q *asynq.QueueInfo
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var err error
		if q, err = b.inspector.GetQueueInfo("default"); err != nil {
			b.t.Fatal(err)
		}
		if ok(q) {
			return
		}
	}
	b.t.Fatalf("not in two minutes: %s; the queue is %+v", what, q)
}

func done(q *asynq.QueueInfo) bool { return q.Size == 0 }

// quick returns a configuration that looks often.
func quick() asynq.Config {
	return asynq.Config{
		TaskCheckInterval: 20 * time.Millisecond, DelayedTaskCheckInterval: 20 * time.Millisecond,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 0 },
		LogLevel:       asynq.FatalLevel,
	}
}

// start starts a server.
func start(t testing.TB, s interface{ Start(asynq.Handler) error }, handle asynq.HandlerFunc) {
	if err := s.Start(handle); err != nil {
		t.Fatal(err)
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}

// atRest checks that no permit is out.
func atRest(t *testing.T, l *sweetspot.Limiter) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got := l.Stats()
		if got.InFlight == 0 && got.Waiting == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("at the end %d permits are out and %d wait for one", got.InFlight, got.Waiting)
		}
	}
}
