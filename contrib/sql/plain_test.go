package sqllimit_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// plain is a driver without any of the optional interfaces but one: statements
// that convert their arguments, which is all that very old ones have.
type plain struct{ server *server }

func (p plain) Open(string) (driver.Conn, error) { return plainConn{&fakeConn{server: p.server}}, nil }

type plainConn struct{ s *fakeConn }

func (c plainConn) Prepare(query string) (driver.Stmt, error) { return &plainStmt{c.s, query}, nil }
func (c plainConn) Close() error                              { return nil }
func (c plainConn) Begin() (driver.Tx, error) {
	return c.s.BeginTx(context.Background(), driver.TxOptions{})
}

type plainStmt struct {
	s     *fakeConn
	query string
}

func (s *plainStmt) Close() error                              { return nil }
func (s *plainStmt) NumInput() int                             { return strings.Count(s.query, "?") }
func (s *plainStmt) ColumnConverter(int) driver.ValueConverter { return lengths{} }

func (s *plainStmt) Exec(args []driver.Value) (driver.Result, error) {
	for _, a := range args {
		if a != int64(2) {
			return nil, errFailed
		}
	}
	return driver.RowsAffected(1), s.s.run(context.Background(), s.query)
}

func (s *plainStmt) Query([]driver.Value) (driver.Rows, error) {
	return s.s.QueryContext(context.Background(), s.query, nil)
}

// lengths converts a slice of ints, which no default does.
type lengths struct{}

func (lengths) ConvertValue(v any) (driver.Value, error) {
	if s, ok := v.([]int); ok {
		return int64(len(s)), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(v)
}

var plainServer = new(server)

func init() { sql.Register("sqllimit-plain", plain{plainServer}) }

// TestPlainDriver: the gate asks no more of a driver than database/sql does, and
// what is missing gives the same errors.
func TestPlainDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := setTo(sweetspot.New(), 1)
		gated := must(sqllimit.Open("sqllimit-plain", "", l))
		defer gated.Close()
		bare := must(sql.Open("sqllimit-plain", ""))
		defer bare.Close()
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		for name, use := range map[string]func(*sql.DB) error{
			"ping":       func(db *sql.DB) error { return db.PingContext(ctx) },
			"exec":       func(db *sql.DB) error { _, err := db.ExecContext(ctx, ""); return err },
			"argument":   func(db *sql.DB) error { _, err := db.ExecContext(ctx, "?", 2); return err },
			"converted":  func(db *sql.DB) error { _, err := db.ExecContext(ctx, "?", []int{1, 1}); return err },
			"wrong":      func(db *sql.DB) error { _, err := db.ExecContext(ctx, "?", make(chan int)); return err },
			"too many":   func(db *sql.DB) error { _, err := db.ExecContext(ctx, "?", 2, 2); return err },
			"named":      func(db *sql.DB) error { _, err := db.ExecContext(ctx, "?", sql.Named("a", 2)); return err },
			"query":      func(db *sql.DB) error { var n int; return db.QueryRowContext(ctx, "").Scan(&n) },
			"tx":         func(db *sql.DB) error { return must(db.BeginTx(ctx, nil)).Commit() },
			"isolation":  func(db *sql.DB) error { _, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: 3}); return err },
			"read only":  func(db *sql.DB) error { _, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); return err },
			"cancelled":  func(db *sql.DB) error { _, err := db.ExecContext(cancelled, ""); return err },
			"cancelled2": func(db *sql.DB) error { _, err := db.BeginTx(cancelled, nil); return err },
		} {
			want, got := use(bare), use(gated)
			if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
				t.Errorf("%s: got %v, without the gate %v", name, got, want)
			}
		}
		if got := l.Stats(); got.InFlight != 0 || got.Completed != 4 {
			t.Errorf("%d permits out and %d units done, want 0 and 4", got.InFlight, got.Completed)
		}
	})
}

// A directConn runs statements by the interfaces that drivers had before contexts, and cannot
// prepare any.
type directConn struct{ plainConn }

func (c directConn) Prepare(string) (driver.Stmt, error) { return nil, errFailed }

func (c directConn) Exec(query string, args []driver.Value) (driver.Result, error) {
	if query == "skip" {
		return nil, driver.ErrSkip
	}
	return (&plainStmt{c.s, query}).Exec(args)
}

func (c directConn) Query(query string, args []driver.Value) (driver.Rows, error) {
	return (&plainStmt{c.s, query}).Query(args)
}

type direct struct{ server *server }

func (d direct) Open(string) (driver.Conn, error) {
	return directConn{plainConn{&fakeConn{server: d.server}}}, nil
}

func init() { sql.Register("sqllimit-direct", direct{new(server)}) }

// TestDirectDriver: a connection that can run a statement at once is asked to before a
// statement is prepared, by the older interfaces where it lacks the newer ones.
func TestDirectDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := setTo(sweetspot.New(), 1)
		gated := must(sqllimit.Open("sqllimit-direct", "", l))
		defer gated.Close()
		bare := must(sql.Open("sqllimit-direct", ""))
		defer bare.Close()
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		exec := func(ctx context.Context, query string, args ...any) func(*sql.DB) error {
			return func(db *sql.DB) error { _, err := db.ExecContext(ctx, query, args...); return err }
		}
		for name, use := range map[string]func(*sql.DB) error{
			"exec":      exec(ctx, ""),
			"argument":  exec(ctx, "?", 2),
			"refused":   exec(ctx, "?", 3),
			"wrong":     exec(ctx, "?", make(chan int)),
			"named":     exec(ctx, "?", sql.Named("a", 2)),
			"failed":    exec(ctx, "fail"),
			"skipped":   exec(ctx, "skip"),
			"cancelled": exec(cancelled, ""),
			"query":     func(db *sql.DB) error { var n int; return db.QueryRowContext(ctx, "", 2).Scan(&n) },
			"in tx": func(db *sql.DB) error {
				tx := must(db.BeginTx(ctx, nil))
				_, err := tx.ExecContext(ctx, "")
				return errors.Join(err, tx.Commit())
			},
		} {
			want, got := use(bare), use(gated)
			if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
				t.Errorf("%s: got %v, without the gate %v", name, got, want)
			}
		}
		if got := l.Stats(); got.InFlight != 0 || got.Completed != 4 {
			t.Errorf("%d permits out and %d units done, want 0 and 4", got.InFlight, got.Completed)
		}
	})
}
