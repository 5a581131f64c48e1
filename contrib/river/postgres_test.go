package riverlimit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
	riverlimit "github.com/sweetspot-go/sweetspot/contrib/river"
)

func TestMain(m *testing.M) {
	if dsn := adaptertest.Worker(); dsn != "" {
		work(dsn)
		return
	}
	code := m.Run()
	if stopPostgres != nil {
		stopPostgres()
	}
	os.Exit(code)
}

var (
	stopPostgres func()
	errNoServer  = errors.New("PostgreSQL is not installed: make deps installs it")
)

// startPostgres runs a server for all tests of this process, with the tables of river,
// and returns how to reach it. The script of contrib/sql ends it.
var startPostgres = sync.OnceValues(func() (dsn string, err error) {
	script := exec.Command("bash", "../sql/testdata/postgres.sh")
	script.Stderr = os.Stderr
	stdin, err := script.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := script.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := script.Start(); err != nil {
		return "", fmt.Errorf("%w: %v", errNoServer, err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == io.EOF {
		err = script.Wait()
		if script.ProcessState.ExitCode() == 3 {
			err = errNoServer
		}
	}
	if err != nil {
		return "", err
	}
	stopPostgres = func() {
		stdin.Close()
		script.Wait()
	}
	dsn = "host=" + strings.TrimSpace(line) + " user=test dbname=postgres sslmode=disable"
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	tables, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet})
	if err == nil {
		_, err = tables.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return dsn, err
})

var quiet = slog.New(slog.DiscardHandler)

// A bed is an empty queue.
type bed struct {
	t    testing.TB
	dsn  string
	pool *pgxpool.Pool
}

func newBed(t testing.TB) *bed {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a PostgreSQL")
	}
	dsn, err := startPostgres()
	if errors.Is(err, errNoServer) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b := &bed{t, dsn, pool}
	b.exec("truncate river_job, river_leader, river_queue")
	return b
}

func (b *bed) exec(query string, args ...any) int64 {
	b.t.Helper()
	tag, err := b.pool.Exec(b.t.Context(), query, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return tag.RowsAffected()
}

// count returns how many jobs are in a state.
func (b *bed) count(state rivertype.JobState) (n int) {
	b.t.Helper()
	if err := b.pool.QueryRow(b.t.Context(), "select count(*) from river_job where state = $1", state).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// eventually waits until n jobs are in a state.
func (b *bed) eventually(state rivertype.JobState, n int) {
	b.t.Helper()
	got := 0
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = b.count(state); got == n {
			return
		}
	}
	b.t.Fatalf("%d jobs are %s after two minutes, want %d", got, state, n)
}

type mail struct {
	Number int `json:"number"`
}

func (mail) Kind() string { return "mail" }

// insert adds n jobs.
func (b *bed) insert(n int) {
	b.t.Helper()
	client, err := river.NewClient(riverpgxv5.New(b.pool), &river.Config{Logger: quiet})
	if err != nil {
		b.t.Fatal(err)
	}
	jobs := make([]river.InsertManyParams, n)
	for i := range jobs {
		jobs[i].Args = mail{i}
	}
	if _, err := client.InsertManyFast(b.t.Context(), jobs); err != nil {
		b.t.Fatal(err)
	}
}

// config returns one whose jobs are worked by f.
func config(workers int, l *sweetspot.Limiter, f func(context.Context, *river.Job[mail]) error) *river.Config {
	kinds := river.NewWorkers()
	river.AddWorker(kinds, river.WorkFunc(f))
	c := &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		FetchCooldown: 2 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
		LeaderElectionDisabled: true,
		Logger:                 quiet,
		Workers:                kinds,
	}
	if l != nil {
		c.Middleware = []rivertype.Middleware{riverlimit.NewMiddleware(l)}
	}
	return c
}

// start starts a client, which the end of the test stops.
func (b *bed) start(c *river.Config) *river.Client[pgx.Tx] {
	b.t.Helper()
	client, err := river.NewClient(riverpgxv5.New(b.pool), c)
	if err == nil {
		err = client.Start(context.WithoutCancel(b.t.Context()))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := client.StopAndCancel(context.Background()); err != nil {
			b.t.Error(err)
		}
	})
	return client
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
