package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// errUnkept is what a server does whose disk is busy with what others write.
var errUnkept = errors.New("the server has yet to have its disk keep what it has confirmed")

// errOther says that another server has taken the place of the one that was asked.
var errOther = errors.New("another server serves now")

// durably calls write, and returns when what the server has confirmed meanwhile is on its disk, if
// its home wants that. Where the server was another one at the end than at the beginning, write is
// called again, since a power failure may have been between the two: it must bear that.
func (q *queue) durably(ctx context.Context, write func(context.Context) error) error {
	for {
		id, name := q.nc.ConnectedServerId(), q.nc.ConnectedServerName()
		if err := write(ctx); err != nil {
			return err
		}
		if id != "" && name != durableName {
			return nil
		}
		if err := q.try(ctx, func(ctx context.Context) error { return q.kept(ctx, id) }); !errors.Is(err, errOther) {
			return err
		}
	}
}

// kept asks the server with an id for its disk, once.
func (q *queue) kept(ctx context.Context, id string) error {
	switch q.nc.ConnectedServerId() {
	case "":
		return nats.ErrDisconnected
	case id:
		err := q.ask(ctx, syncSubject+id+".", nil)
		if away(err) && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", errUnkept, err)
		}
		return err
	}
	return errOther
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
func (q *queue) forwarded() bool { return q.pushes && q.home == nil && q.ours() }

// ours reports whether there is a [service] to ask.
func (q *queue) ours() bool { return !q.direct && served(q.nc) }

// served reports whether the server is one of ours.
func served(nc *nats.Conn) bool {
	name := nc.ConnectedServerName()
	return name == serverName || name == durableName
}
