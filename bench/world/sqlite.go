package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
)

// sqliteRows is the number of rows that writers update: some megabytes.
const sqliteRows = 100_000

// sqliteTable makes the table. NORMAL is what SQLite's manual recommends with a
// WAL: a commit does not wait for the disk.
var sqliteTable = fmt.Sprintf(`
PRAGMA journal_mode = WAL;
CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, filler TEXT NOT NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
INSERT INTO account SELECT i, 0, printf('%%50s', i) FROM n;
`, sqliteRows)

// openSQLite returns units that update a row of a database each, by a connection of
// their own. A connection is a process of the shell of SQLite: the driver
// without C is 235,000 lines, which all checks of this repository would compile,
// and processes wait for SQLite's locks as connections of one process do.
func openSQLite(ctx context.Context, h *host) (unit, error) {
	program, err := find("sqlite3")
	if err != nil {
		return nil, err
	}
	file := h.path("bank.db")
	cmd := exec.CommandContext(ctx, program, "-batch", "-bail", file)
	cmd.Stdin = strings.NewReader(sqliteTable)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("sqlite3: %w: %s", err, said)
	}
	idle := make(chan *sqliteShell, 1<<10) // more than there are callers
	h.atEnd(func() {
		close(idle)
		for s := range idle {
			s.close()
		}
	})
	return func(context.Context) error {
		var s *sqliteShell
		select {
		case s = <-idle:
		default:
			var err error
			if s, err = newSQLiteShell(ctx, program, file); err != nil {
				return err
			}
		}
		defer func() { idle <- s }()
		return s.update(1 + rand.IntN(sqliteRows))
	}, nil
}

type sqliteShell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// newSQLiteShell opens a connection, which ends with ctx.
func newSQLiteShell(ctx context.Context, program, file string) (*sqliteShell, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s := &sqliteShell{cmd: exec.CommandContext(ctx, program, "-batch", file), out: bufio.NewReader(r)}
	s.cmd.Stdout, s.cmd.Stderr = w, w // an error is an answer
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	// The timeout has to come first. The pragma reads the file, and the first connection to
	// open a file locks it.
	_, err = io.WriteString(s.in, ".timeout 5000\nPRAGMA synchronous = NORMAL;\n")
	return s, err
}

// update changes a row in a transaction of its own. It returns errRefused if that
// could not begin within the timeout.
func (s *sqliteShell) update(id int) error {
	const done = "done"
	if _, err := fmt.Fprintf(s.in, "UPDATE account SET balance = balance + 1 WHERE id = %d RETURNING '%s';\n", id, done); err != nil {
		return err
	}
	answer, err := s.out.ReadString('\n')
	switch answer = strings.TrimSpace(answer); {
	case err != nil:
		return err
	case strings.Contains(answer, "database is locked"):
		return fmt.Errorf("%w: %s", errRefused, answer)
	case answer != done:
		return fmt.Errorf("sqlite3: %s", answer)
	}
	return nil
}

func (s *sqliteShell) close() {
	s.in.Close()
	_ = s.cmd.Wait() // it ends with its input
}
