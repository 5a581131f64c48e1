package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// errUnkept is what a server does whose disk is busy with what others write.
var errUnkept = errors.New("the server has not yet flushed to its disk what it has confirmed")

var errRestarted = errors.New("the machine of the server may have restarted")

// durably calls write, which writes to a part of the queue, and returns when what the server has
// confirmed meanwhile is on its disk, if its home wants that. A server that is killed leaves to the next one what the system has of its
// files. Where the machine has restarted, write is called again: it must bear that. It is not called
// more than that needs, since a server that starts anew does not know the messages of jobs that
// are done, and would take them for new jobs.
func (q *queue) durably(ctx context.Context, of part, write func(context.Context) error) error {
	for {
		name := q.nc.ConnectedServerName()
		if err := write(ctx); err != nil {
			return err
		}
		if name != "" && !strings.HasPrefix(name, durableName) {
			return nil
		}
		err := q.try(ctx, func(ctx context.Context) error {
			keep := func(ctx context.Context) error { return q.kept(ctx, name, of) }
			if of == results {
				return q.flushes.ask(ctx, name, keep)
			}
			return keep(ctx)
		})
		if !errors.Is(err, errRestarted) {
			return err
		}
	}
}

// kept asks a server with the name for its disk, once.
func (q *queue) kept(ctx context.Context, name string, of part) error {
	switch q.nc.ConnectedServerName() {
	case "":
		return q.lost()
	case name:
		err := q.ask(ctx, syncSubject+strings.TrimPrefix(name, durableName)+".", []byte(of))
		if away(err) && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", errUnkept, err)
		}
		return err
	}
	return errRestarted
}

// lost returns the error of a connection that is not there now.
func (c *connection) lost() error {
	if c.nc.IsClosed() { // by us: it does not come back
		return nats.ErrConnectionClosed
	}
	return nats.ErrDisconnected
}

// ask asks a server of ours about the queue, once.
func (q *queue) ask(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	m, err := q.nc.RequestWithContext(ctx, subject+q.name, data)
	if err == nil && len(m.Data) > 0 {
		err = readRefusal(m.Data)
	}
	return err
}

// forwarded reports whether jobs go to the service of a server, which may be all that our key
// allows.
func (q *queue) forwarded() bool { return q.pushes && q.home == nil && q.served }

func served(nc *nats.Conn) bool {
	name := nc.ConnectedServerName()
	return name == serverName || strings.HasPrefix(name, durableName)
}
