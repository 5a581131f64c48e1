package main

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresClients is how many connections the server allows: more backends than
// this do not belong on a machine for tests.
const postgresClients = 256

// never is longer than any run, for connections that stay.
const never = 1000 * time.Hour

// openPostgres starts a server with the defaults of its version, and returns a
// pool with a connection for each caller. The socket lies in the private directory,
// so that nobody else reaches it.
func openPostgres(ctx context.Context, h *host) (*pgxpool.Pool, error) {
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := find("postgres")
	if err != nil {
		return nil, err
	}
	data := h.path("data")
	if err := h.run(ctx, initdb, "--pgdata="+data, "--username=world", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(fmt.Sprintf("host=%s user=world dbname=postgres sslmode=disable", h.dir))
	if err != nil {
		return nil, err
	}
	config.MaxConns = postgresClients
	config.MaxConnIdleTime, config.MaxConnLifetime = never, never
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	err = h.start(ctx, server{
		program: postgres,
		args:    []string{"-D", data, "-k", h.dir, "-c", "listen_addresses=", "-c", fmt.Sprintf("max_connections=%d", postgresClients+10)},
		stop:    syscall.SIGINT, // fast shutdown: does not wait for clients
		ready:   pool.Ping,
	})
	h.atEnd(pool.Close)
	return pool, err
}

// scale is that of TPC-B: ten make tables of 130 MB, as much as the server's
// buffers hold by default. A test may do with less.
var scale = 10

// Rows of TPC-B for each of its scale.
const (
	branches = 1
	tellers  = 10
	accounts = 100_000
)

// bank lacks the numbers of rows.
//
//go:embed bank.sql
var bank string

// openBank starts a server with the tables of TPC-B.
func openBank(ctx context.Context, h *host) (*pgxpool.Pool, error) {
	pool, err := openPostgres(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, sql := range []string{
		strings.NewReplacer("BRANCHES", fmt.Sprint(scale*branches), "TELLERS", fmt.Sprint(scale*tellers), "ACCOUNTS", fmt.Sprint(scale*accounts)).Replace(bank),
		"VACUUM ANALYZE", // alone, as it cannot run in a transaction
	} {
		if _, err := pool.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return nil, err
		}
	}
	return pool, nil
}

// openTPCB returns units that are transactions of TPC-B: three updates, a select
// and an insert, each a round trip, and a commit that waits for the disk.
func openTPCB(ctx context.Context, h *host) (unit, error) {
	pool, err := openBank(ctx, h)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		account, teller, branch := 1+rand.IntN(scale*accounts), 1+rand.IntN(scale*tellers), 1+rand.IntN(scale*branches)
		delta := rand.IntN(10_001) - 5_000
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE accounts SET balance = balance + $1 WHERE id = $2", delta, account); err != nil {
				return err
			}
			var balance int
			if err := tx.QueryRow(ctx, "SELECT balance FROM accounts WHERE id = $1", account).Scan(&balance); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "UPDATE tellers SET balance = balance + $1 WHERE id = $2", delta, teller); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "UPDATE branches SET balance = balance + $1 WHERE id = $2", delta, branch); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO history VALUES ($1, $2, $3, $4, now())", branch, teller, account, delta)
			return err
		})
	}, nil
}

// openSelect returns units that sum 1,000 rows in a row of the index.
func openSelect(ctx context.Context, h *host) (unit, error) {
	pool, err := openBank(ctx, h)
	if err != nil {
		return nil, err
	}
	const rows = 1000
	return func(ctx context.Context) error {
		var sum int64
		from := 1 + rand.IntN(scale*accounts-rows)
		return pool.QueryRow(ctx, "SELECT sum(balance) FROM accounts WHERE id >= $1 AND id < $2", from, from+rows).Scan(&sum)
	}, nil
}

// openHotRow returns units that update the same row, each in a transaction of its
// own.
func openHotRow(ctx context.Context, h *host) (unit, error) {
	pool, err := openPostgres(ctx, h)
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, "CREATE TABLE hot AS SELECT 0 AS hits"); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := pool.Exec(ctx, "UPDATE hot SET hits = hits + 1")
		return err
	}, nil
}
