package sqllimit_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

func TestMain(m *testing.M) {
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

// startPostgres runs a real server for all tests of this process, and returns
// how to reach it.
var startPostgres = sync.OnceValues(func() (dsn string, err error) {
	script := exec.Command("bash", "testdata/postgres.sh")
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
	return "host=" + strings.TrimSpace(line) + " user=test dbname=postgres sslmode=disable", nil
})

// postgres returns how to reach the server.
func postgres(t testing.TB) string {
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
	return dsn
}

// openPostgres returns a pool on the real server, and a plain one.
func openPostgres(t *testing.T, l *sweetspot.Limiter) (gated, plain *sql.DB) {
	t.Helper()
	dsn := postgres(t)
	plain = must(sql.Open("pgx", dsn))
	gated = must(sqllimit.Open("pgx", dsn, l))
	t.Cleanup(func() {
		if err := errors.Join(gated.Close(), plain.Close()); err != nil {
			t.Error(err)
		}
		if got := l.Stats(); got.InFlight != 0 || got.Waiting != 0 {
			t.Errorf("at the end %d permits are out and %d wait for one", got.InFlight, got.Waiting)
		}
	})
	return gated, plain
}

// holders returns how many transactions hold the lock that tx takes, tx included.
func holders(ctx context.Context, tx *sql.Tx) (n int, err error) {
	if _, err = tx.ExecContext(ctx, "select pg_advisory_xact_lock_shared(7)"); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "select count(*) from pg_locks where locktype = 'advisory' and objid = 7").Scan(&n)
	return n, err
}

// sessions returns how many clients the server has beside this one. If they are more than that, those
// of an earlier test may be about to end.
func sessions(ctx context.Context, plain *sql.DB, most int) (n int) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		ok(plain.QueryRowContext(ctx, "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()").Scan(&n))
		if n <= most || time.Now().After(end) {
			return n
		}
	}
}

// TestPostgresAtWork: by the count of the server, as many transactions are open as
// the limit allows, and not one more.
func TestPostgresAtWork(t *testing.T) {
	ctx := t.Context()
	const limit = 5
	l := setTo(sweetspot.New(), limit)
	db, plain := openPostgres(t, l)
	var most, transactions atomic.Int64
	var wg sync.WaitGroup
	for range 3 * limit {
		wg.Go(func() {
			// As many as it takes to see the limit reached.
			for i := 0; i < 20 || most.Load() < limit; i++ {
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					t.Error(err)
					return
				}
				n, err := holders(ctx, tx)
				if err != nil {
					t.Error(err)
				}
				for m := most.Load(); m < int64(n) && !most.CompareAndSwap(m, int64(n)); m = most.Load() {
				}
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
				transactions.Add(1)
			}
		})
	}
	wg.Wait()
	if most.Load() != limit {
		t.Errorf("%d transactions at a time, want %d", most.Load(), limit)
	}
	if got := l.Stats(); got.Completed != transactions.Load() || got.Ignored != 0 {
		t.Errorf("%d units done and %d ignored, want all of %d transactions", got.Completed, got.Ignored, transactions.Load())
	}
	if n := sessions(ctx, plain, limit); n != limit {
		t.Errorf("the server has %d connections, want %d", n, limit)
	}
}

// TestPostgresRaise: those who wait get on when the limit is raised: they only
// finish once they all are in a transaction at the same time.
func TestPostgresRaise(t *testing.T) {
	const n = 8
	ctx := t.Context()
	l := setTo(sweetspot.New(), 1)
	db, _ := openPostgres(t, l)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer tx.Rollback()
			// A session lock, which outlives the transaction: whoever leaves first
			// must not be missed.
			if _, err := tx.ExecContext(ctx, "select pg_advisory_lock_shared(8)"); err != nil {
				t.Error(err)
				return
			}
			for seen := 0; seen < n; time.Sleep(time.Millisecond) {
				if err := tx.QueryRowContext(ctx, "select count(*) from pg_locks where locktype = 'advisory' and objid = 8").Scan(&seen); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for l.Stats().Waiting < n-1 {
		time.Sleep(time.Millisecond)
	}
	l.SetLimit(n)
	wg.Wait()
}

// TestPostgresUses: every way to use a connection, at once, with the real driver;
// also when statements are cancelled or sessions ended by the server.
func TestPostgresUses(t *testing.T) {
	ctx := t.Context()
	l := setTo(sweetspot.New(), 4)
	db, plain := openPostgres(t, l)
	must(plain.ExecContext(ctx, "create table if not exists sums (k int primary key, v bigint); truncate sums; insert into sums select k, 0 from generate_series(1, 10) k"))
	add := must(db.PrepareContext(ctx, "update sums set v = v + 1 where k = $1"))
	defer add.Close()
	uses := map[string]func(k int) error{
		"exec": func(k int) error {
			_, err := db.ExecContext(ctx, "update sums set v = v + 1 where k = $1", k)
			return err
		},
		"stmt": func(k int) error { _, err := add.ExecContext(ctx, k); return err },
		"row": func(k int) error {
			var v int64
			return db.QueryRowContext(ctx, "update sums set v = v + 1 where k = $1 returning v", k).Scan(&v)
		},
		"tx": func(k int) error {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if _, err := tx.StmtContext(ctx, add).ExecContext(ctx, k); err != nil {
				return err
			}
			return tx.Commit()
		},
		"raw": func(k int) error {
			conn, err := db.Conn(ctx)
			if err != nil {
				return err
			}
			defer conn.Close()
			return conn.Raw(func(c any) error {
				c, err := sqllimit.Unwrap(ctx, c)
				if err != nil {
					return err
				}
				_, err = c.(*stdlib.Conn).Conn().Exec(ctx, "update sums set v = v + 1 where k = $1", k)
				return err
			})
		},
		"nested": func(k int) error {
			return l.Do(ctx, func(ctx context.Context) error {
				rows, err := db.QueryContext(ctx, "select $1::int", k)
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					if _, err := add.ExecContext(ctx, k); err != nil {
						return err
					}
				}
				return rows.Err()
			})
		},
	}
	const times = 10
	var wg sync.WaitGroup
	for name, use := range uses {
		for k := range 10 {
			wg.Go(func() {
				for range times {
					if err := use(k + 1); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
	}
	// Those who are cancelled cost others nothing.
	for range 10 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			if _, err := db.ExecContext(ctx, "select pg_sleep(60)"); err == nil {
				t.Error("a minute passed")
			}
		})
	}
	wg.Wait()
	var least, most int64
	ok(db.QueryRowContext(ctx, "select min(v), max(v) from sums").Scan(&least, &most))
	if want := int64(times * len(uses)); least != want || most != want {
		t.Errorf("between %d and %d updates of each row, want %d", least, most, want)
	}

	must(plain.ExecContext(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"))
	for i := 0; ; i++ {
		_, err := db.ExecContext(ctx, "select 1")
		if err == nil {
			break
		}
		if i == 10 { // there were 4 and those of Do
			t.Fatalf("after all sessions ended: %v", err)
		}
	}
}

// TestPostgresFull: a server that has too few connections is an overload, and the
// others go on.
func TestPostgresFull(t *testing.T) {
	ctx := t.Context()
	dsn := postgres(t)
	plain := must(sql.Open("pgx", dsn))
	defer plain.Close()
	must(plain.ExecContext(ctx, "do $$ begin create role small login connection limit 3; exception when duplicate_object then null; end $$"))
	l := setTo(sweetspot.New(), 16)
	db := must(sqllimit.Open("pgx", strings.Replace(dsn, "user=test", "user=small", 1), l))
	defer db.Close()
	var wg sync.WaitGroup
	var refused atomic.Int64
	for range 16 {
		wg.Go(func() {
			for refused.Load() == 0 || l.Stats().Overloads == 0 {
				if _, err := db.ExecContext(ctx, "select pg_sleep(0.01)"); err != nil {
					if sqllimit.Outcome(err) != sweetspot.Overloaded {
						t.Errorf("got %v, want too many connections", err)
						return
					}
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got := l.Stats(); got.InFlight != 0 || got.Overloads != refused.Load() {
		t.Errorf("%d permits out; %d overloads, want %d", got.InFlight, got.Overloads, refused.Load())
	}
}

// TestPostgresLearns: with a limit that moves, nothing is lost, and the server
// never has more connections than it may.
func TestPostgresLearns(t *testing.T) {
	ctx := t.Context()
	l := sweetspot.New(sweetspot.Start(2), sweetspot.Max(20))
	db, plain := openPostgres(t, l)
	var wg sync.WaitGroup
	var n atomic.Int64
	for range 30 {
		wg.Go(func() {
			for range 100 {
				if _, err := db.ExecContext(ctx, "select pg_sleep(0.003)"); err != nil {
					t.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if got := l.Stats().Completed; got != n.Load() {
		t.Errorf("%d units done, want %d", got, n.Load())
	}
	if n := sessions(ctx, plain, 20); n > 20 {
		t.Errorf("the server has %d connections, above Max(20)", n)
	}
}
