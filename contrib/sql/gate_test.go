package sqllimit_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// open returns a pool in front of a new fake server, closed at the end of the test.
func open(t *testing.T, l *sweetspot.Limiter, opts ...sqllimit.Option) (*sql.DB, *server) {
	t.Helper()
	s := new(server)
	db := sql.OpenDB(sqllimit.Connector(s, l, opts...))
	t.Cleanup(func() {
		synctest.Wait() // database/sql rolls cancelled transactions back by itself
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if got := l.Stats(); got.InFlight != 0 || got.Waiting != 0 {
			t.Errorf("at the end %d permits are out and %d wait for one", got.InFlight, got.Waiting)
		}
	})
	return db, s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

// kinds are the ways to use a connection for 10 ms or more.
var kinds = map[string]func(context.Context, *sql.DB) error{
	"exec": func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "10ms")
		return err
	},
	"row": func(ctx context.Context, db *sql.DB) error {
		var n int
		return db.QueryRowContext(ctx, "10ms").Scan(&n)
	},
	"rows": func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "1ms")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			time.Sleep(3 * time.Millisecond)
		}
		return rows.Err()
	},
	"tx": func(ctx context.Context, db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		time.Sleep(5 * time.Millisecond)
		if _, err := tx.ExecContext(ctx, "5ms"); err != nil {
			return err
		}
		return tx.Commit()
	},
	"conn": func(ctx context.Context, db *sql.DB) error {
		c, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		for range 5 {
			if _, err := c.ExecContext(ctx, "2ms"); err != nil {
				return err
			}
		}
		return nil
	},
	"stmt": func(ctx context.Context, db *sql.DB) error {
		s, err := db.PrepareContext(ctx, "5ms")
		if err != nil {
			return err
		}
		defer s.Close()
		for range 2 {
			if _, err := s.ExecContext(ctx); err != nil {
				return err
			}
		}
		return nil
	},
}

// TestAtWork: whatever connections are used for, exactly as many work as the
// limit allows, also while it changes and with a ceiling.
func TestAtWork(t *testing.T) {
	for _, ceiling := range []int{0, 30} {
		t.Run(fmt.Sprint(ceiling), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 1)
				db, s := open(t, l)
				db.SetMaxOpenConns(ceiling)
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				for kind, use := range kinds {
					for range 10 {
						wg.Go(func() {
							for ctx.Err() == nil {
								if err := use(ctx, db); err != nil && ctx.Err() == nil {
									t.Errorf("%s: %v", kind, err)
								}
							}
						})
					}
				}
				for _, n := range []int{1, 7, 2, 20, 3} {
					l.SetLimit(n)
					time.Sleep(100 * time.Millisecond) // those above a lower limit finish
					s.takePeak()
					time.Sleep(500 * time.Millisecond)
					if got := s.takePeak(); got != n {
						t.Errorf("limit %d: %d connections at work", n, got)
					}
				}
				cancel()
				wg.Wait()
			})
		})
	}
}

// TestHeldAsLong: a permit is out from the first statement on until the
// connection is back in the pool.
func TestHeldAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := setTo(sweetspot.New(), 3)
		db, _ := open(t, l)
		held := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if got := l.Stats().InFlight; got != want {
				t.Errorf("%s: %d permits out, want %d", when, got, want)
			}
		}

		must(db.ExecContext(ctx, ""))
		held("after Exec", 0)
		var n int
		ok(db.QueryRowContext(ctx, "").Scan(&n))
		held("after QueryRow", 0)
		ok(db.PingContext(ctx))
		held("after Ping", 0)

		rows := must(db.QueryContext(ctx, ""))
		held("before the first of the Rows", 1)
		rows.Next()
		held("among the Rows", 1)
		ok(rows.Close())
		held("after Rows.Close", 0)
		rows = must(db.QueryContext(ctx, ""))
		for rows.Next() {
		}
		held("at the end of Rows", 0)

		tx := must(db.BeginTx(ctx, nil))
		held("after Begin", 1)
		must(tx.ExecContext(ctx, ""))
		held("in a Tx", 1)
		ok(tx.Commit())
		held("after Commit", 0)
		tx = must(db.BeginTx(ctx, nil))
		ok(tx.Rollback())
		held("after Rollback", 0)
		inner, cancel := context.WithCancel(ctx)
		must(db.BeginTx(inner, nil))
		held("in a Tx to be cancelled", 1)
		cancel()
		held("after the ctx of a Tx ended", 0)

		conn := must(db.Conn(ctx))
		held("with a Conn before its first statement", 0)
		must(conn.ExecContext(ctx, ""))
		held("after a statement of a Conn", 1)
		tx = must(conn.BeginTx(ctx, nil))
		ok(tx.Commit())
		held("after a Tx of a Conn", 1)
		ok(conn.Raw(func(c any) error {
			if inner, err := sqllimit.Unwrap(ctx, c); err != nil || fmt.Sprintf("%T", inner) != "*sqllimit_test.fakeConn" {
				t.Errorf("Unwrap(%T) is a %T, %v: want the driver's", c, inner, err)
			}
			return nil
		}))
		ok(conn.Close())
		held("after Conn.Close", 0)
		conn = must(db.Conn(ctx))
		ok(conn.Raw(func(c any) error { must(sqllimit.Unwrap(ctx, c)); return nil }))
		held("after Unwrap", 1)
		ok(conn.Close())

		stmt := must(db.PrepareContext(ctx, ""))
		held("after Prepare", 0)
		rows = must(stmt.QueryContext(ctx))
		held("with the Rows of a Stmt", 1)
		ok(rows.Close())
		held("after the Rows of a Stmt", 0)
		tx = must(db.BeginTx(ctx, nil))
		must(tx.StmtContext(ctx, stmt).ExecContext(ctx))
		held("after a Stmt in a Tx", 1)
		ok(tx.Commit())
		ok(stmt.Close())
		held("at the end", 0)
	})
}

// TestRaise: a higher limit admits those who wait, in the order in which they came.
func TestRaise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		db, s := open(t, l)
		db.SetMaxOpenConns(10)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var order []int
		for i := range 8 {
			wg.Go(func() {
				must(db.ExecContext(t.Context(), "1s"))
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		if got := l.Stats(); got.InFlight != 1 || got.Waiting != 7 {
			t.Errorf("%d at work, %d wait: want 1 and 7", got.InFlight, got.Waiting)
		}
		time.Sleep(100 * time.Millisecond)
		l.SetLimit(5)
		synctest.Wait()
		if got := l.Stats(); got.InFlight != 5 || got.Waiting != 3 || s.takePeak() != 5 {
			t.Errorf("after the raise %d at work, %d wait: want 5 and 3", got.InFlight, got.Waiting)
		}
		wg.Wait()
		if len(order) != 8 || order[0] != 0 {
			t.Errorf("finished in the order %v", order)
		}
	})
}

// TestCancel: who gives up waiting gets the error of its context, leaves no
// permit behind, and its connection remains in the pool.
func TestCancel(t *testing.T) {
	for kind, use := range kinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 1)
				db, s := open(t, l)
				tx := must(db.BeginTx(t.Context(), nil))
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too slow"))
				defer cancel()
				if err := use(ctx, db); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want that of the context", err)
				}
				if s.takePeak() != 1 {
					t.Error("a statement began without a permit")
				}
				ok(tx.Commit())
				ok(use(t.Context(), db))
				if s.opened != 1 || s.closed != 0 {
					t.Errorf("%d connections were opened and %d closed: want 1 and 0", s.opened, s.closed)
				}
			})
		})
	}
}

// TestBadConn: no permit stays with a connection that breaks, and database/sql
// tries again as ever.
func TestBadConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		db, s := open(t, l)
		_, err := db.ExecContext(t.Context(), "bad")
		if err == nil || s.closed != 3 {
			t.Errorf("%v after %d broken connections, want an error after 3", err, s.closed)
		}
		conn := must(db.Conn(t.Context()))
		if _, err := conn.ExecContext(t.Context(), "bad"); err == nil {
			t.Error("a broken connection gave no error")
		}
		conn.Close()
		must(db.ExecContext(t.Context(), ""))
		if got := l.Stats(); got.Completed != 1 || got.Ignored != 4 {
			t.Errorf("%d units done, %d ignored: want 1 and 4", got.Completed, got.Ignored)
		}
	})
}

// TestPanic: a driver that panics keeps no permit.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		db, _ := open(t, l)
		func() {
			defer func() {
				if got := recover(); got != "the driver panics" {
					t.Errorf("recovered %v", got)
				}
			}()
			db.ExecContext(t.Context(), "panic")
		}()
		must(db.ExecContext(t.Context(), ""))
		if got := l.Stats(); got.Completed != 1 || got.Ignored != 1 {
			t.Errorf("%d units done, %d ignored: want 1 and 1", got.Completed, got.Ignored)
		}
	})
}

func TestOutcomes(t *testing.T) {
	rollback := func(query string) func(context.Context, *sql.DB) {
		return func(ctx context.Context, db *sql.DB) {
			tx := must(db.BeginTx(ctx, nil))
			tx.ExecContext(ctx, query)
			tx.ExecContext(ctx, "")
			tx.Rollback()
		}
	}
	prepared := func(query string) func(context.Context, *sql.DB) {
		return func(ctx context.Context, db *sql.DB) {
			if s, err := db.PrepareContext(ctx, query); err == nil {
				s.ExecContext(ctx)
				rows, err := s.QueryContext(ctx)
				if err == nil {
					rows.Close()
				}
				s.Close()
			}
		}
	}
	exec := func(query string) func(context.Context, *sql.DB) {
		return func(ctx context.Context, db *sql.DB) { db.ExecContext(ctx, query) }
	}
	allDone := sqllimit.Classify(func(error) sweetspot.Outcome { return sweetspot.Done })
	none := sqllimit.Classify(func(error) sweetspot.Outcome { return sweetspot.Overloaded + 1 })
	for name, c := range map[string]struct {
		use                       func(context.Context, *sql.DB)
		opts                      []sqllimit.Option
		done, ignored, overloaded int64
	}{
		"exec":           {use: exec(""), done: 1},
		"failed":         {use: exec("fail"), ignored: 1},
		"full":           {use: exec("full"), overloaded: 1},
		"classified":     {use: exec("full"), opts: []sqllimit.Option{allDone}, ignored: 1},
		"no outcome":     {use: exec("full"), opts: []sqllimit.Option{none}, ignored: 1},
		"tx":             {use: rollback(""), done: 1},
		"failed in tx":   {use: rollback("fail"), ignored: 1},
		"full in tx":     {use: rollback("full"), overloaded: 1},
		"classified tx":  {use: rollback("full"), opts: []sqllimit.Option{allDone}, done: 1},
		"prepared":       {use: prepared(""), done: 2, ignored: 1},
		"failed stmt":    {use: prepared("fail"), ignored: 3},
		"not prepared":   {use: prepared("unpreparable"), ignored: 1},
		"ping":           {use: func(ctx context.Context, db *sql.DB) { db.PingContext(ctx) }, ignored: 1},
		"empty tx":       {use: func(ctx context.Context, db *sql.DB) { must(db.BeginTx(ctx, nil)).Commit() }, ignored: 1},
		"unused conn":    {use: func(ctx context.Context, db *sql.DB) { must(db.Conn(ctx)).Close() }},
		"wrong argument": {use: func(ctx context.Context, db *sql.DB) { db.ExecContext(ctx, "", make(chan int)) }, ignored: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 2)
				db, _ := open(t, l, c.opts...)
				c.use(t.Context(), db)
				if s := l.Stats(); s.Completed != c.done || s.Ignored != c.ignored || s.Overloads != c.overloaded {
					t.Errorf("done %d, ignored %d, overloaded %d: want %d, %d, %d",
						s.Completed, s.Ignored, s.Overloads, c.done, c.ignored, c.overloaded)
				}
			})
		})
	}
	if got := sqllimit.Outcome(nil); got != sweetspot.Done {
		t.Errorf("Outcome(nil) = %v", got)
	}
	if got := sqllimit.Outcome(fmt.Errorf("wrapped: %w", errFull)); got != sweetspot.Overloaded {
		t.Errorf("Outcome of a wrapped SQLSTATE 53300 = %v", got)
	}
}

func TestMisuse(t *testing.T) {
	for want, f := range map[string]func(){
		"sqllimit: Connector: the connector is nil":                       func() { sqllimit.Connector(nil, sweetspot.New()) },
		"sqllimit: the Limiter is nil: want one, such as sweetspot.New()": func() { sqllimit.Connector(new(server), nil) },
		"sqllimit: Connector: option 1 of 1 is nil":                       func() { sqllimit.Connector(new(server), sweetspot.New(), nil) },
		"sqllimit: MaxIdleTime(0s): want a time above 0":                  func() { sqllimit.MaxIdleTime(0) },
		"sqllimit: MaxLifetime(-1s): want a time above 0":                 func() { sqllimit.MaxLifetime(-time.Second) },
		"sqllimit: Classify(nil): want a function from error to Outcome":  func() { sqllimit.Classify(nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			f()
		}()
	}
	if _, err := sqllimit.Open("no such driver", "", sweetspot.New()); err == nil {
		t.Error("Open of an unknown driver gave no error")
	}
	if got, err := sqllimit.Unwrap(t.Context(), 7); got != 7 || err != nil {
		t.Errorf("Unwrap(7) = %v, %v", got, err)
	}
}
