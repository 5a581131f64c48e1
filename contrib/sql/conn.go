package sqllimit

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// A conn lends a session to database/sql for one use. It has all the optional
// interfaces of a driver's connection; where the driver's lacks one, it does what
// database/sql does then. The lock that database/sql has for a connection guards
// it.
type conn struct {
	gate     *gate
	session  *session // nil before the first statement
	use      use
	reused   bool // the session had rested
	returned bool // in a state in which it could be used again
	spoilt   bool // the session did not survive its transaction
	lent     []*stmt
}

// enter takes a permit and a session, unless there are both. It waits with the
// lock of the connection held. Somebody who has a permit might want that lock to
// close a statement prepared on this connection; but nothing was yet. Hence a
// conn has one use, and is not kept by the pool of database/sql.
//
// Like everything there, it returns the ctx's error rather than its cause.
func (c *conn) enter(ctx context.Context) error {
	if c.session != nil {
		return nil
	}
	g := c.gate
	if g.limiter.Holds(ctx) {
		c.use = use{guest: true}
	} else {
		u, err := g.limiter.Begin(ctx)
		if err != nil {
			return ctx.Err()
		}
		c.use = use{unit: u}
	}
	defer func() {
		if c.session == nil { // an error, or a panic of the driver
			c.use.end()
		}
	}()
	s, err := g.rest.take(ctx)
	if s == nil && err == nil {
		var inner driver.Conn
		if inner, err = g.Connector.Connect(ctx); err == nil {
			c.session = &session{Conn: inner, began: time.Now()}
		}
	} else if err == nil {
		c.session, c.reused = s, true
	}
	if err != nil {
		c.failed(err)
	}
	return err
}

// failed takes down the result of a step.
func (c *conn) failed(err error) { c.use.failed(err, c.gate.classify) }

// did takes down the result of a statement.
func (c *conn) did(err error) {
	c.failed(err)
	c.use.worked = c.use.worked || err == nil
}

// Prepare is not called, as there is PrepareContext.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	s := c.session.takePrepared(query)
	if s == nil {
		var err error
		if s, err = c.prepare(ctx, query); err != nil {
			c.failed(err)
			return nil, err
		}
		// Success does not count as a step: some drivers prepare without asking the server.
	}
	st := &stmt{Stmt: s, conn: c, text: query}
	c.lent = append(c.lent, st)
	return st, nil
}

func (c *conn) prepare(ctx context.Context, query string) (driver.Stmt, error) {
	if p, ok := c.session.Conn.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, query)
	}
	s, err := c.session.Conn.Prepare(query)
	if err == nil && ctx.Err() != nil {
		s.Close()
		return nil, ctx.Err()
	}
	return s, err
}

// execer and queryer are what drivers without contexts have in place of
// driver.ExecerContext and driver.QueryerContext.
type (
	execer interface {
		Exec(string, []driver.Value) (driver.Result, error)
	}
	queryer interface {
		Query(string, []driver.Value) (driver.Rows, error)
	}
)

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return direct(ctx, c, driver.ExecerContext.ExecContext, execer.Exec, query, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return direct(ctx, c, driver.QueryerContext.QueryContext, queryer.Query, query, args)
}

// direct runs a statement by a method of D or else of P, if the driver's connection
// is one.
func direct[D, P, R any](
	ctx context.Context, c *conn, run func(D, context.Context, string, []driver.NamedValue) (R, error),
	plain func(P, string, []driver.Value) (R, error), query string, args []driver.NamedValue,
) (r R, err error) {
	if err := c.enter(ctx); err != nil {
		return r, err
	}
	d, ok := c.session.Conn.(D)
	p, old := c.session.Conn.(P)
	if !ok && !old {
		return r, driver.ErrSkip // database/sql prepares a statement
	}
	if args, err = c.check(args); err != nil {
		return r, err
	}
	if ok {
		r, err = run(d, ctx, query, args)
	} else {
		var values []driver.Value
		if values, err = unnamed(ctx, args); err == nil {
			r, err = plain(p, query, values)
		}
	}
	c.did(err)
	return r, err
}

// Begin is not called, as there is BeginTx.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	t, err := c.beginTx(ctx, opts)
	c.failed(err)
	if err != nil {
		return nil, err
	}
	return &tx{t, c, ctx}, nil
}

// beginner is the part of driver.Conn that drivers without BeginTx rely on.
type beginner interface{ Begin() (driver.Tx, error) }

func (c *conn) beginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.session.Conn.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, opts)
	}
	if opts.Isolation != 0 {
		return nil, errors.New("sql: driver does not support non-default isolation level")
	}
	if opts.ReadOnly {
		return nil, errors.New("sql: driver does not support read-only transactions")
	}
	t, err := beginner(c.session.Conn).Begin()
	if err == nil && ctx.Err() != nil {
		t.Rollback()
		return nil, ctx.Err()
	}
	return t, err
}

func (c *conn) Ping(ctx context.Context) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	p, ok := c.session.Conn.(driver.Pinger)
	if !ok {
		return nil
	}
	err := p.Ping(ctx)
	c.failed(err)
	return err
}

// CheckNamedValue is asked before ExecContext and QueryContext are, when there may
// be no session to ask. It lets everything pass; they check.
func (c *conn) CheckNamedValue(*driver.NamedValue) error { return nil }

// check turns arguments into what the driver takes, as database/sql does where it
// is left to.
func (c *conn) check(args []driver.NamedValue) ([]driver.NamedValue, error) {
	checker, ok := c.session.Conn.(driver.NamedValueChecker)
	kept := args[:0]
	for _, a := range args {
		a.Ordinal = len(kept) + 1
		err := driver.ErrSkip
		if ok {
			err = checker.CheckNamedValue(&a)
		}
		if err == driver.ErrSkip {
			a.Value, err = driver.DefaultParameterConverter.ConvertValue(a.Value)
		}
		switch {
		case err == nil:
			kept = append(kept, a)
		case err == driver.ErrRemoveArgument:
		case a.Name != "":
			return nil, fmt.Errorf("sql: converting argument with name %q type: %w", a.Name, err)
		default:
			return nil, fmt.Errorf("sql: converting argument $%d type: %w", a.Ordinal, err)
		}
	}
	return kept, nil
}

// ResetSession has nothing to do: a conn has one use. That there is one tells
// database/sql to keep the connection when the context of a transaction ends.
func (c *conn) ResetSession(context.Context) error { return nil }

// IsValid is called when a use ends with the connection in a known state, and only
// then. It says no, so that the pool of database/sql does not keep a connection
// with its permit: the next thing that happens is Close.
func (c *conn) IsValid() bool {
	c.returned = true
	return false
}

// Close ends the use. The session goes to rest, unless it is broken or spoilt.
func (c *conn) Close() error {
	if c.session == nil {
		return nil
	}
	defer c.use.end()
	for len(c.lent) > 0 { // a sql.Stmt may outlive its sql.Conn, but must not touch the session then
		c.lent[len(c.lent)-1].Close()
	}
	if c.returned && !c.use.broken && !c.spoilt {
		if v, ok := c.session.Conn.(driver.Validator); !ok || v.IsValid() {
			return c.gate.rest.put(c.session)
		}
	}
	if c.reused && c.use.broken {
		// It broke while it rested. Those that rest now have for longer, and the
		// server that ended one may have ended all: database/sql tries only three.
		c.gate.rest.flush(false)
	}
	return c.session.close()
}

// A tx tells the use of its connection how it ended.
type tx struct {
	driver.Tx
	conn *conn
	ctx  context.Context
}

func (t *tx) Commit() error {
	err := t.Tx.Commit()
	t.conn.failed(err)
	return err
}

func (t *tx) Rollback() error {
	err := t.Tx.Rollback()
	t.conn.failed(err)
	if t.ctx.Err() != nil && !t.conn.session.survives() {
		t.conn.spoilt = true
	}
	return err
}
