package sqllimit_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// atOnce uses n connections at a time.
func atOnce(ctx context.Context, db *sql.DB, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { must(db.ExecContext(ctx, "10ms")) })
	}
	wg.Wait()
}

// TestFollows: there are as many connections as the limit was able to use, and
// those too many are closed, all after the idle time, whatever the pool of
// database/sql was told.
func TestFollows(t *testing.T) {
	for _, idle := range []int{-1, 2, 100} {
		t.Run(fmt.Sprint(idle), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				l := setTo(sweetspot.New(), 10)
				db, s := open(t, l, sqllimit.MaxIdleTime(2*time.Second))
				db.SetMaxIdleConns(idle)
				resting := func(when string, opened, closed int) {
					t.Helper()
					synctest.Wait()
					s.mu.Lock()
					defer s.mu.Unlock()
					if s.opened != opened || s.closed != closed {
						t.Errorf("%s: %d opened, %d closed: want %d, %d", when, s.opened, s.closed, opened, closed)
					}
				}
				for range 20 {
					atOnce(ctx, db, 50)
				}
				resting("after a crowd", 10, 0)
				l.SetLimit(4)
				for range 40 {
					atOnce(ctx, db, 50) // 130 ms each
				}
				resting("after some time with a lower limit", 10, 6)
				time.Sleep(4 * time.Second)
				resting("at rest", 10, 10)
				atOnce(ctx, db, 1)
				resting("after the rest", 11, 10)
			})
		})
	}
}

// TestLifetime: connections are closed when their time is over, in use or not,
// but none that is in use.
func TestLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 2), sqllimit.MaxLifetime(time.Second))
		for range 100 {
			atOnce(ctx, db, 1)
			time.Sleep(90 * time.Millisecond)
		}
		if s.opened < 8 || s.opened > 11 {
			t.Errorf("%d connections opened in 10 s, want 10", s.opened)
		}
		tx := must(db.BeginTx(ctx, nil))
		closed := s.closed
		time.Sleep(time.Minute)
		must(tx.ExecContext(ctx, ""))
		if s.closed != closed {
			t.Errorf("%d connections closed in a Tx", s.closed-closed)
		}
		ok(tx.Commit())
		if s.closed != s.opened {
			t.Errorf("%d of %d connections closed after a long Tx", s.closed, s.opened)
		}
	})
}

// TestPrepared: a Stmt is prepared once for each connection, however often it is
// run, and statements without use do not pile up.
func TestPrepared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 3))
		st := must(db.PrepareContext(ctx, "10ms"))
		for range 10 {
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() { must(st.ExecContext(ctx)) })
			}
			wg.Wait()
		}
		if s.prepared != 3 {
			t.Errorf("prepared %d times on 3 connections", s.prepared)
		}
		tx := must(db.BeginTx(ctx, nil))
		twice := must(tx.PrepareContext(ctx, "10ms"))
		must(tx.StmtContext(ctx, st).ExecContext(ctx))
		must(twice.ExecContext(ctx))
		ok(tx.Commit())
		ok(st.Close())
		if n := s.prepared - s.unprepared; n != 3 {
			t.Errorf("%d statements remain prepared, want 3", n)
		}
		for i := range 1000 {
			ok(must(db.PrepareContext(ctx, fmt.Sprint(i))).Close())
		}
		if n := s.prepared - s.unprepared; n > 102 {
			t.Errorf("%d statements remain prepared, want at most 100 on a connection", n)
		}
	})
}

// TestFailedStmt: a statement that failed is prepared anew before it is run again,
// whether the Stmt is or not.
func TestFailedStmt(t *testing.T) {
	exec := func(ctx context.Context, st *sql.Stmt) error {
		_, err := st.ExecContext(ctx)
		return err
	}
	query := func(ctx context.Context, st *sql.Stmt) error {
		rows, err := st.QueryContext(ctx)
		if err == nil {
			err = rows.Close()
		}
		return err
	}
	for name, run := range map[string]func(context.Context, *sql.Stmt) error{"exec": exec, "query": query} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				db, s := open(t, setTo(sweetspot.New(), 1))
				st := must(db.PrepareContext(ctx, "x"))
				defer st.Close()
				anew := func(ctx context.Context) error {
					st := must(db.PrepareContext(ctx, "y"))
					defer st.Close()
					return run(ctx, st)
				}
				for range 3 {
					ok(run(ctx, st))
					ok(anew(ctx))
				}
				s.alter()
				if a, b := run(ctx, st), anew(ctx); a != errStale || b != errStale {
					t.Errorf("got %v and %v, want the server's errors", a, b)
				}
				for range 3 {
					if a, b := run(ctx, st), anew(ctx); a != nil || b != nil {
						t.Fatalf("got %v and %v, want the statements prepared anew", a, b)
					}
				}
				if s.prepared != 4 || s.unprepared != 2 {
					t.Errorf("prepared %d times, closed %d: want 4, 2", s.prepared, s.unprepared)
				}
				if s.opened != 1 {
					t.Errorf("%d connections opened, want 1", s.opened)
				}
			})
		})
	}
}

// TestStmtOutlivesItsConn: what a Conn prepared goes with its connection, which may be in use
// elsewhere when the program closes the Stmt.
func TestStmtOutlivesItsConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 1))
		conn := must(db.Conn(ctx))
		good, bad := must(conn.PrepareContext(ctx, "x")), must(conn.PrepareContext(ctx, "fail"))
		if _, err := bad.ExecContext(ctx); err != errFailed {
			t.Fatal(err)
		}
		ok(conn.Close())
		if s.unprepared != 1 {
			t.Errorf("%d statements closed with the Conn, want the one that failed", s.unprepared)
		}
		tx := must(db.BeginTx(ctx, nil))
		again := must(tx.PrepareContext(ctx, "x"))
		ok(good.Close())
		ok(bad.Close())
		if s.prepared != 2 || s.unprepared != 1 {
			t.Errorf("prepared %d times, closed %d: want 2, 1", s.prepared, s.unprepared)
		}
		must(again.ExecContext(ctx))
		ok(tx.Commit())
	})
}

// TestStmtClosedInTx: closing a statement locks the connections on which it was
// prepared. None of them may be one that waits for the permit of who closes it.
func TestStmtClosedInTx(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := setTo(sweetspot.New(), 5)
		db, _ := open(t, l)
		st, other := must(db.PrepareContext(ctx, "10ms")), must(db.PrepareContext(ctx, "20ms"))
		defer other.Close()
		var wg sync.WaitGroup
		crowd := func() {
			for range 20 {
				wg.Go(func() { must(other.ExecContext(ctx)) })
			}
		}
		for range 20 {
			wg.Go(func() { must(st.ExecContext(ctx)) })
		}
		crowd()
		wg.Wait()
		l.SetLimit(1)
		tx := must(db.BeginTx(ctx, nil))
		inTx := tx.StmtContext(ctx, st)
		must(inTx.ExecContext(ctx))
		crowd()
		synctest.Wait()
		ok(st.Close())
		ok(inTx.Close())
		ok(tx.Commit())
		wg.Wait()
	})
}

// A copyConn prepares statements of one use, as drivers do for a copy of many rows: what they
// are given is sent when they are closed, or run without an argument, and they run no more.
type copyConn struct {
	*fakeConn
	open bool // a copy is
}

type copyServer struct{ *server }

func (s copyServer) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &copyConn{fakeConn: c.(*fakeConn)}, nil
}

func (c *copyConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	c.open = true
	return &copyStmt{conn: c}, nil
}

func (c *copyConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	_, err := c.fakeConn.BeginTx(ctx, opts)
	return c, err
}

func (c *copyConn) Commit() error {
	if c.open {
		return errors.New("the connection is in copy mode")
	}
	return c.fakeConn.Commit()
}

type copyStmt struct {
	conn *copyConn
	over bool
}

func (s *copyStmt) NumInput() int                             { return -1 }
func (s *copyStmt) Query([]driver.Value) (driver.Rows, error) { return nil, errFailed }

func (s *copyStmt) Exec(args []driver.Value) (driver.Result, error) {
	if s.over {
		return nil, errors.New("the copy is over")
	}
	if len(args) == 0 {
		return driver.RowsAffected(0), s.Close()
	}
	return driver.RowsAffected(0), nil
}

func (s *copyStmt) Close() error {
	if !s.over {
		s.over, s.conn.open = true, false
	}
	return nil
}

// TestStatementOfOneUse: a statement that runs no more once it was run, or whose Close does
// its work, is closed when the program closes it, and never handed out again.
func TestStatementOfOneUse(t *testing.T) {
	for name, end := range map[string]func(*sql.Stmt) error{
		"run without an argument": func(st *sql.Stmt) error { _, err := st.Exec(); return err },
		"closed":                  func(*sql.Stmt) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := new(server)
				db := sql.OpenDB(sqllimit.Connector(copyServer{s}, setTo(sweetspot.New(), 1)))
				defer db.Close()
				for i := range 3 {
					tx := must(db.BeginTx(t.Context(), nil))
					st := must(tx.PrepareContext(t.Context(), "copy"))
					for k := range 2 {
						if _, err := st.Exec(k); err != nil {
							t.Fatalf("row %d of copy %d: %v", k, i, err)
						}
					}
					if err := errors.Join(end(st), st.Close(), tx.Commit()); err != nil {
						t.Fatalf("copy %d: %v", i, err)
					}
				}
				if s.opened != 1 {
					t.Errorf("%d connections opened, want 1", s.opened)
				}
			})
		})
	}
}

// TestCeiling: with SetMaxOpenConns, connections that are opened for somebody who
// then gives up keep no permit.
func TestCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		db, _ := open(t, l)
		db.SetMaxOpenConns(3)
		var wg sync.WaitGroup
		for i := range 300 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
				defer cancel()
				db.ExecContext(ctx, "10ms")
			})
		}
		wg.Wait()
		synctest.Wait()
		if got := l.Stats(); got.InFlight != 0 || got.Waiting != 0 {
			t.Errorf("%d permits out, %d wait", got.InFlight, got.Waiting)
		}
		must(db.ExecContext(t.Context(), ""))
	})
}

// TestTxCancelled: what a driver says it survives, its connections survive.
func TestTxCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, s := open(t, setTo(sweetspot.New(), 1))
		ctx, cancel := context.WithCancel(t.Context())
		must(db.BeginTx(ctx, nil))
		cancel()
		synctest.Wait()
		must(db.ExecContext(t.Context(), ""))
		if s.opened != 1 {
			t.Errorf("%d connections opened, want 1", s.opened)
		}
	})
}

// A fragileConn cannot be reset, so that it does not survive a transaction whose
// context ends.
type fragileConn struct {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
}

type fragileServer struct{ *server }

func (s fragileServer) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	f := c.(*fakeConn)
	return fragileConn{f, f, f}, nil
}

// TestTxCancelledClosesOne: the connection of a transaction that was cancelled is
// closed, but none of those that rest.
func TestTxCancelledClosesOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(server)
		db := sql.OpenDB(sqllimit.Connector(fragileServer{s}, setTo(sweetspot.New(), 10)))
		defer db.Close()
		atOnce(t.Context(), db, 10)
		ctx, cancel := context.WithCancel(t.Context())
		must(must(db.BeginTx(ctx, nil)).ExecContext(ctx, ""))
		cancel()
		synctest.Wait()
		if s.opened != 10 || s.closed != 1 {
			t.Errorf("%d opened, %d closed: want 10, 1", s.opened, s.closed)
		}
	})
}

// TestRestart: after the server was away, each connection that rested is tried
// once at most, and no call fails for it.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 20))
		atOnce(ctx, db, 20)
		s.restart()
		must(db.ExecContext(ctx, ""))
		if s.opened != 21 || s.closed != 20 {
			t.Errorf("%d opened, %d closed: want 21, 20", s.opened, s.closed)
		}
	})
}

// TestRestartOfPrepared: nor does a call of a Stmt, which is prepared first on the connection
// that it gets: not all drivers ask the server then, and what Prepare says proves nothing.
func TestRestartOfPrepared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 20))
		st := must(db.PrepareContext(ctx, ""))
		defer st.Close()
		var conns []*sql.Conn
		for range 5 {
			conn := must(db.Conn(ctx))
			must(conn.ExecContext(ctx, ""))
			conns = append(conns, conn)
		}
		for _, conn := range conns { // the first, where it is prepared, will rest longest
			ok(conn.Close())
		}
		s.restart()
		if _, err := st.ExecContext(ctx); err != nil {
			t.Errorf("got %v after a restart", err)
		}
		if s.opened != 6 || s.closed != 5 {
			t.Errorf("%d opened, %d closed: want 6, 5", s.opened, s.closed)
		}
	})
}

// TestRefused: the error of a server that has no more connections reaches the
// caller, is an overload, and leaves no permit out.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := setTo(sweetspot.New(), 1)
		db, s := open(t, l)
		s.refuse = errFull
		for range 3 {
			if _, err := db.ExecContext(ctx, ""); err != errFull {
				t.Errorf("got %v, want the server's error", err)
			}
		}
		s.refuse = nil
		must(db.ExecContext(ctx, ""))
		if got := l.Stats(); got.Overloads != 3 || got.Completed != 1 {
			t.Errorf("%d overloads and %d done, want 3 and 1", got.Overloads, got.Completed)
		}
	})
}

// TestClose: closing the DB closes what rests at once, and the others when they
// come back.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		db, s := open(t, setTo(sweetspot.New(), 5))
		atOnce(ctx, db, 5)
		conn := must(db.Conn(ctx))
		ok(conn.PingContext(ctx))
		ok(db.Close())
		if s.closed != 4 {
			t.Errorf("%d of 4 connections at rest closed", s.closed)
		}
		conn.Close()
		if s.closed != 5 {
			t.Errorf("%d of 5 connections closed", s.closed)
		}
	})
}

// TestReset: the driver hears of each further use of a connection.
func TestReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, s := open(t, setTo(sweetspot.New(), 1))
		for range 5 {
			must(db.ExecContext(t.Context(), ""))
		}
		if s.resets != 4 {
			t.Errorf("%d resets for 5 uses of a connection, want 4", s.resets)
		}
	})
}

// A driver may not close the statements of a connection that it closes, so they come first.
func TestStatementsEndBeforeTheirConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, s := open(t, setTo(sweetspot.New(), 1), sqllimit.MaxIdleTime(time.Second))
		st, err := db.PrepareContext(t.Context(), "10ms")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.ExecContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		st.Close()
		time.Sleep(time.Minute) // the connection has rested for too long
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed != 1 || s.prepared != s.unprepared {
			t.Errorf("%d connections closed; %d of %d statements closed", s.closed, s.unprepared, s.prepared)
		}
	})
}
