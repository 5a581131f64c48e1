package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

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
