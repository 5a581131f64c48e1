package main

import (
	"context"
	"errors"
)

// A work is an endless stream of units of one kind.
type work struct {
	name    string
	about   string
	callers int // goroutines that send units: no limit above it binds

	// open starts what the work needs on a host and returns its unit.
	open func(ctx context.Context, h *host) (unit, error)
}

// A unit is one piece of work. Any number of goroutines may call it.
type unit func(ctx context.Context) error

// errRefused is what a unit wraps if there was too much at once.
var errRefused = errors.New("refused")

// works lists what can be measured. To add one, add a line.
func works() []work {
	return []work{
		{"pg-tpcb", "PostgreSQL: transactions of TPC-B that wait for the disk", postgresClients, openTPCB},
		{"pg-select", "PostgreSQL: the sum of 1,000 rows", postgresClients, openSelect},
		{"pg-hot", "PostgreSQL: transactions that update one row", postgresClients, openHotRow},
		{"redis", "Redis: GET of 1 kB, one in ten SET", 512, openRedis},
		{"sqlite", "SQLite with a WAL: transactions that update a row", 256, openSQLite},
		{"nginx", "nginx: GET of plain files of 20 kB", 512, openFiles},
		{"limitconn", "nginx: GET of files sent within 40 ms to 16 at a time; others get a 429", 512, openLimited},
		{"upstream", "nginx: GET of files that a server behind it makes, 16 at a time", 512, openUpstream},
		{"parse", "go/parser: a file of the standard library", 512, openParser},
		// A process of the compiler takes 40 MB.
		{"compile", "the Go compiler: a small package of the standard library", 32, openCompiler},
	}
}
