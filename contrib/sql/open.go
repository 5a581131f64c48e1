package sqllimit

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"

	"github.com/sweetspot-go/sweetspot"
)

// Open is [sql.Open] with a limit: no more connections are in use at a time than l
// permits. The DB may share l with others that use the same server. It returns the
// error of sql.Open, and panics if l or an option is nil.
func Open(driverName, dataSourceName string, l *sweetspot.Limiter, opts ...Option) (*sql.DB, error) {
	plain, err := sql.Open(driverName, dataSourceName)
	if err != nil {
		return nil, err
	}
	// It was asked for the driver, which sql does not tell by name.
	d := plain.Driver()
	if err := plain.Close(); err != nil {
		return nil, err
	}
	var c driver.Connector = dataSource{dataSourceName, d}
	if dc, ok := d.(driver.DriverContext); ok {
		if c, err = dc.OpenConnector(dataSourceName); err != nil {
			return nil, err
		}
	}
	return sql.OpenDB(Connector(c, l, opts...)), nil
}

// dataSource is the connector of a driver that has none.
type dataSource struct {
	name   string
	driver driver.Driver
}

func (s dataSource) Connect(context.Context) (driver.Conn, error) { return s.driver.Open(s.name) }
func (s dataSource) Driver() driver.Driver                        { return s.driver }

// Connector limits the connections of c, for [sql.OpenDB]: no more of them are in use
// at a time than l permits. Closing the DB closes them; one Connector should serve one
// DB. It panics if c, l or an option is nil.
//
// [sql.Conn.Raw] shows this package's connection; [Unwrap] returns that of the driver.
func Connector(c driver.Connector, l *sweetspot.Limiter, opts ...Option) driver.Connector {
	if c == nil {
		panic("sqllimit: Connector: the connector is nil")
	}
	if l == nil {
		panic("sqllimit: the Limiter is nil: want one, such as sweetspot.New()")
	}
	g := &gate{Connector: c, limiter: l}
	g.rest.idleTime = idleDefault
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("sqllimit: Connector: option %d of %d is nil", i+1, len(opts)))
		}
		o(g)
	}
	return g
}

// A gate hands out connections with a permit each.
type gate struct {
	driver.Connector
	limiter  *sweetspot.Limiter
	classify func(error) sweetspot.Outcome // Outcome if nil
	rest     sessions
}

// Connect is called by database/sql for each use of a connection, or in advance.
// The connection has yet to enter the gate.
func (g *gate) Connect(context.Context) (driver.Conn, error) { return &conn{gate: g}, nil }

// Close is called by [sql.DB.Close]. Connections in use are closed when they come
// back.
func (g *gate) Close() error {
	err := g.rest.flush(true)
	if closer, ok := g.Connector.(io.Closer); ok {
		err = cmp.Or(err, closer.Close())
	}
	return err
}

// Unwrap returns the driver's own connection, for the function of [sql.Conn.Raw]:
//
//	conn.Raw(func(c any) error {
//		c, err := sqllimit.Unwrap(ctx, c)
//		...
//
// It waits for a permit if the connection has none yet. It returns the error of ctx, or
// that of the driver if a connection must be opened. A value that is not a connection
// of this package is returned unchanged.
func Unwrap(ctx context.Context, driverConn any) (any, error) {
	c, ok := driverConn.(*conn)
	if !ok {
		return driverConn, nil
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	return c.session.Conn, nil
}
