package sqllimit

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
)

// A stmt lends a prepared statement to database/sql for one use of its session.
type stmt struct {
	driver.Stmt
	conn   *conn
	text   string
	failed bool // an execution did
}

// Close leaves the statement prepared: a [sql.Stmt] prepares it anew for each of
// its executions, since each has a connection that it does not know. One that
// failed is closed: it may fail for as long as it is prepared, such as after a
// change of the schema ("cached plan must not change result type"). So is one that
// has no queries with a context: it may be a copy of rows (pq.CopyIn, mssql.CopyIn,
// a batch of ClickHouse), which runs once, and whose Close may be what sends them.
func (s *stmt) Close() error {
	i := slices.Index(s.conn.lent, s)
	if i < 0 {
		return nil // closed with its connection
	}
	s.conn.lent = slices.Delete(s.conn.lent, i, i+1)
	if _, again := s.Stmt.(driver.StmtQueryContext); s.failed || !again {
		return s.Stmt.Close()
	}
	return s.conn.session.keep(s.text, s.Stmt)
}

// did takes down the result of an execution.
func (s *stmt) did(err error) {
	s.failed = s.failed || err != nil && err != driver.ErrSkip
	s.conn.did(err)
}

// executer is the part of driver.Stmt that drivers without contexts rely on.
type executer interface {
	Exec([]driver.Value) (driver.Result, error)
	Query([]driver.Value) (driver.Rows, error)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return execute(ctx, s, driver.StmtExecContext.ExecContext, executer.Exec, args)
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return execute(ctx, s, driver.StmtQueryContext.QueryContext, executer.Query, args)
}

// execute runs s by a method of D or, if the driver's statement is none, by plain.
func execute[D, R any](
	ctx context.Context, s *stmt, run func(D, context.Context, []driver.NamedValue) (R, error),
	plain func(executer, []driver.Value) (R, error), args []driver.NamedValue,
) (r R, err error) {
	if d, ok := s.Stmt.(D); ok {
		r, err = run(d, ctx, args)
	} else {
		var values []driver.Value
		if values, err = unnamed(ctx, args); err == nil {
			r, err = plain(s.Stmt, values)
		}
	}
	s.did(err)
	return r, err
}

// unnamed returns args for a statement that knows neither names nor contexts.
func unnamed(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("sql: driver does not support the use of Named Parameters")
		}
		values[i] = a.Value
	}
	return values, ctx.Err()
}

func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := s.Stmt.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	if n, ok := s.conn.session.Conn.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// ColumnConverter is asked where CheckNamedValue skips.
func (s *stmt) ColumnConverter(i int) driver.ValueConverter {
	if c, ok := s.Stmt.(interface {
		ColumnConverter(int) driver.ValueConverter
	}); ok {
		return c.ColumnConverter(i)
	}
	return driver.DefaultParameterConverter
}
