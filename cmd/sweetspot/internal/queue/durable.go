package queue

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// publish sends messages until all of them are confirmed, and on the disk if the home
// wants that.
func (q *queue) publish(ctx context.Context, batch []*nats.Msg) error {
	s := q.sending()
	return q.durably(ctx, func(ctx context.Context) error { return s.send(ctx, batch) })
}

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
		for id != "" && q.nc.ConnectedServerId() == id { // a disk that others fill takes seconds
			if err := q.ask(ctx, syncSubject+id+".", nil); err == nil || !away(err) && ctx.Err() == nil {
				return err
			}
			if err := pause(ctx); err != nil {
				return err
			}
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// pause lets some time pass before a server is asked again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(firstWait):
		return nil
	}
}

// ask asks a server of ours about the queue, once.
func (q *queue) ask(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	m, err := q.nc.RequestWithContext(ctx, subject+q.name, data)
	if err == nil && len(m.Data) > 0 {
		err = errors.New(string(m.Data))
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
