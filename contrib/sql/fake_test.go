package sqllimit_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// A server is a fake: a statement takes as long as it says ("sleep 10ms"), fails
// ("fail", "full", "bad", "panic"), or returns three rows.
type server struct {
	mu                   sync.Mutex
	atWork               int // connections with a statement, rows or a transaction
	peak                 int
	opened               int
	closed               int
	resets               int
	epoch                int   // connections of an earlier one are dead
	refuse               error // of Connect
	prepared, unprepared int
	schema               int // statements prepared for an earlier one fail
}

// alter changes the schema.
func (s *server) alter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schema++
}

// restart ends all connections.
func (s *server) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
}

func (s *server) work(d int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atWork += d
	s.peak = max(s.peak, s.atWork)
}

// takePeak returns the most connections at work since the last call.
func (s *server) takePeak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peak
	s.peak = s.atWork
	return p
}

func (s *server) Connect(context.Context) (driver.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return nil, s.refuse
	}
	s.opened++
	return &fakeConn{server: s, epoch: s.epoch}, nil
}

func (s *server) Driver() driver.Driver            { return s }
func (s *server) Open(string) (driver.Conn, error) { return s.Connect(context.Background()) }

var (
	errFailed = errors.New("syntax error")
	errFull   = state("53300")
	errStale  = errors.New("cached plan must not change result type")
)

type state string

func (s state) Error() string    { return "SQLSTATE " + string(s) }
func (s state) SQLState() string { return string(s) }

// A fakeConn is a connection with all that a driver can have.
type fakeConn struct {
	server *server
	epoch  int
	inTx   bool
	bad    bool
	closed bool
}

func (c *fakeConn) run(ctx context.Context, query string) error {
	if c.closed {
		panic("a closed connection is used")
	}
	c.server.mu.Lock()
	dead := c.epoch != c.server.epoch
	c.server.mu.Unlock()
	if dead {
		return driver.ErrBadConn
	}
	if !c.inTx {
		c.server.work(1)
		defer c.server.work(-1)
	}
	for _, word := range strings.Fields(query) {
		switch d, err := time.ParseDuration(word); {
		case err == nil:
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return ctx.Err()
			}
		case word == "fail":
			return errFailed
		case word == "full":
			return errFull
		case word == "bad":
			c.bad = true
			return driver.ErrBadConn
		case word == "panic":
			panic("the driver panics")
		}
	}
	return nil
}

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { panic("Prepare without context") }
func (c *fakeConn) Begin() (driver.Tx, error)           { panic("Begin without context") }

func (c *fakeConn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	if strings.Contains(query, "unpreparable") {
		return nil, errFailed
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.prepared++
	return &statement{session: c, query: query, schema: c.server.schema}, nil
}

func (c *fakeConn) ExecContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), c.run(ctx, query)
}

func (c *fakeConn) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if err := c.run(ctx, query); err != nil {
		return nil, err
	}
	r := &rows{session: c}
	if !c.inTx {
		c.server.work(1)
		r.counted = true
	}
	return r, nil
}

func (c *fakeConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	c.inTx = true
	c.server.work(1)
	return c, nil
}

func (c *fakeConn) end() error {
	c.inTx = false
	c.server.work(-1)
	return nil
}

func (c *fakeConn) Commit() error   { return c.end() }
func (c *fakeConn) Rollback() error { return c.end() }

func (c *fakeConn) Ping(ctx context.Context) error { return c.run(ctx, "") }

func (c *fakeConn) ResetSession(context.Context) error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.resets++
	return nil
}

func (c *fakeConn) IsValid() bool { return !c.bad }

func (c *fakeConn) CheckNamedValue(v *driver.NamedValue) error {
	if _, ok := v.Value.(chan int); ok {
		return errFailed
	}
	return driver.ErrSkip
}

func (c *fakeConn) Close() error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.closed++
	if c.closed {
		panic("a connection is closed twice")
	}
	c.closed = true
	return nil
}

type statement struct {
	session *fakeConn
	query   string
	schema  int
	closed  bool
}

func (s *statement) check() error {
	s.session.server.mu.Lock()
	defer s.session.server.mu.Unlock()
	if s.schema != s.session.server.schema {
		return errStale
	}
	return nil
}

func (s *statement) Close() error {
	s.session.server.mu.Lock()
	defer s.session.server.mu.Unlock()
	s.session.server.unprepared++
	if s.closed {
		panic("a statement is closed twice")
	}
	s.closed = true
	return nil
}

func (s *statement) NumInput() int                              { return -1 }
func (s *statement) Exec([]driver.Value) (driver.Result, error) { panic("Exec without context") }
func (s *statement) Query([]driver.Value) (driver.Rows, error)  { panic("Query without context") }

func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.session.ExecContext(ctx, s.query, args)
}

func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.session.QueryContext(ctx, s.query, args)
}

type rows struct {
	session *fakeConn
	counted bool
	read    int
}

func (r *rows) Columns() []string { return []string{"n"} }

func (r *rows) Next(dest []driver.Value) error {
	if r.read == 3 {
		return io.EOF
	}
	r.read++
	dest[0] = int64(r.read)
	return nil
}

func (r *rows) Close() error {
	if r.counted {
		r.counted = false
		r.session.server.work(-1)
	}
	return nil
}
