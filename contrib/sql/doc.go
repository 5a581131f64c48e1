// Package sqllimit finds how many connections of a [database/sql.DB] should work at a
// time, and lets no more do so. The DB keeps its type and its methods; only its
// connector changes:
//
//	db, err := sqllimit.Open("pgx", dsn, sweetspot.New(
//		sweetspot.Name("orders"), sweetspot.Max(80)))
//
// Code built on a *sql.DB (generated code, query builders, mappers) works with this one
// too.
//
// # What a permit is
//
// A connection takes a permit of the Limiter before its first statement (Exec, Query,
// Prepare, Begin, Ping) and gives it back when it returns to the pool:
//
//   - Exec and QueryRow hold it for their statement.
//   - Rows hold it until they are closed or read to their end.
//   - A Tx holds it until Commit or Rollback, between its statements too.
//   - A Conn holds it from its first statement until it is closed.
//   - A Stmt holds none of its own; each of its executions does.
//
// So a connection that works, or could work at any moment, has a permit, and an idle
// one has none. Permits are granted first come, first served. While it waits for a
// permit, a caller holds no connection of the server.
//
// A use of a connection is one unit. It is [sweetspot.Done] if a statement succeeded
// and none failed; otherwise [Classify] maps the error. A use without a statement
// (Ping, Prepare, an empty transaction) is [sweetspot.Ignored]. An error that appears
// only while Rows are read is not seen.
//
// # Why not SetMaxOpenConns
//
// The limit of database/sql can be changed at any time, but raising it wakes no waiting
// caller: later callers open the new connections and overtake. A law that raises the
// limit, and sees the same number at work, learns that more does not help.
//
// Here the Limiter decides, and the connections are kept in front of database/sql
// instead of in it. The most recently used connection is used next, and one that was
// idle for a while is closed. There are as many as the highest limit within the last
// [MaxIdleTime]. These replace the settings of sql.DB:
//
//	SetMaxOpenConns(n)    sweetspot.Max(n): what the server can bear at most,
//	                      shared by all replicas of the program
//	SetMaxIdleConns       not needed
//	SetConnMaxIdleTime    MaxIdleTime
//	SetConnMaxLifetime    MaxLifetime
//	Stats                 sweetspot.Limiter.Stats
//
// SetMaxOpenConns still bounds how many are in use or wait for a permit. The Limiter
// then sees fewer waiting callers, and needs to see some. The other settings have no
// effect. In Stats, OpenConnections and InUse include waiting callers.
//
// A Stmt is prepared once on each connection that runs it, as in database/sql. A
// connection keeps up to 100 statements prepared, including closed ones. It keeps none
// that failed, and none that the driver cannot query with a context
// ([driver.StmtQueryContext]), such as a copy of rows (pq.CopyIn), which runs once.
//
// # Two connections at a time
//
// A goroutine that queries while it reads the Rows of another query, or while it has a
// transaction open, holds a permit and waits for a second one. If enough of them do so
// at once, they deadlock. That holds for any pool, but a learnt limit may be lower than
// a guessed one. Run such work in [sweetspot.Limiter.Do]: all connections used with the
// context given to its function share one permit, and are part of its unit. Do is also
// for work that should be measured as a whole. A parallel call of package sweetspot
// (such as [sweetspot.ForEach]) with the same Limiter has the same effect.
//
// A connection whose use began inside, such as that of Rows or a Tx, must return to the
// pool before the function returns: from then on it works without a permit.
//
// # Cost
//
// About 2 µs and five allocations for each use of a connection, in addition to
// database/sql. A statement on the same machine takes at least 50 µs.
//
// # When to use something else
//
//   - The statements are few and never wait for each other: any pool will do.
//   - A proxy in front of the server (PgBouncer in transaction mode) already limits
//     what works at a time.
//   - The pool is not that of database/sql (pgxpool): call [sweetspot.Limiter.Do]
//     around the code that uses a connection.
package sqllimit
