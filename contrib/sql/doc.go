// Package sqllimit finds how many connections of a [database/sql.DB] should work
// at a time, and keeps as many. The DB keeps its type and its methods; only its
// connector changes:
//
//	db, err := sqllimit.Open("pgx", dsn, sweetspot.New(
//		sweetspot.Name("orders"), sweetspot.Max(80)))
//
// Whatever is built on a *sql.DB (generated code, query builders, mappers) takes
// this one too.
//
// # What a permit is
//
// A connection takes a permit of the Limiter before its first statement (Exec,
// Query, Prepare, Begin, Ping) and gives it back when it returns to the pool:
//
//   - Exec and QueryRow hold it for their statement.
//   - Rows hold it until they are closed or read to their end.
//   - A Tx holds it until Commit or Rollback, between its statements too.
//   - A Conn holds it from its first statement until it is closed.
//   - A Stmt holds none of its own; each of its executions does.
//
// So a connection that is at work, or could be at any moment, has a permit, and
// one that rests has none. Permits are handed out in the order in which they were
// asked for. Who waits for one holds nothing of the server's.
//
// A use of a connection is one unit. It is [sweetspot.Done] if a statement
// succeeded and none failed, else what [Classify] makes of the error; a use
// without a statement (Ping, Prepare, an empty transaction) is
// [sweetspot.Ignored]. An error that shows only while Rows are read is not seen.
//
// # Why not SetMaxOpenConns
//
// The limit of database/sql can be changed at any time, but raising it wakes
// nobody who waits: callers that come later open the new connections and
// overtake. A law that raises the limit, and sees the same number at work, learns
// that more does not help.
//
// Here the Limiter decides, and the connections are kept in front of database/sql
// instead of in it: the one used last is used next, and one that nobody needed
// for a while is closed. There are as many as the limit was high within the last
// [MaxIdleTime]. The settings of sql.DB become these:
//
//	SetMaxOpenConns(n)    sweetspot.Max(n): what the server can bear at most,
//	                      shared by all replicas of the program
//	SetMaxIdleConns       no need
//	SetConnMaxIdleTime    MaxIdleTime
//	SetConnMaxLifetime    MaxLifetime
//	Stats                 sweetspot.Limiter.Stats
//
// SetMaxOpenConns still bounds how many are in use or wait for a permit; the
// Limiter then sees fewer who wait, and needs to see some. The others have no
// effect. In Stats, OpenConnections and InUse count those who wait as well.
//
// A Stmt is prepared once on each connection that runs it, as in database/sql. A
// connection keeps up to 100 statements prepared, also those that were closed, but
// none that failed.
//
// # Two connections at a time
//
// A goroutine that queries while it reads the Rows of another query, or while it
// has a transaction open, holds a permit and waits for a second one. If enough of
// them do so at once, nobody gets on. That holds for any pool, but a limit that
// is being learnt may be lower than one that was guessed. Run such work in [Do]:
// all connections that it uses share one permit. Do is also for work that is
// measured as a whole. In a [sweetspot.Limiter.Do] or a parallel call of package
// sweetspot (such as [sweetspot.ForEach]) with the same Limiter it is so already:
// connections that are used with the context given to its function have the permit
// of that.
//
// # Cost
//
// Some 2 µs and five allocations for each use of a connection, more than database/sql
// takes. A statement on the same machine takes 50 µs at least.
//
// # When to use something else
//
//   - The statements are few and never wait for each other: any pool will do.
//   - A proxy in front of the server (PgBouncer in transaction mode) already
//     limits what works at a time.
//   - The pool is not database/sql's (pgxpool): call [sweetspot.Limiter.Do] around
//     what uses a connection.
package sqllimit
