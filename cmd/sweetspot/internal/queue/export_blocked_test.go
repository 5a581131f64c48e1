package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// ClearWhile has what cannot be read cleared while the store cannot read one job, and others are
// done as soon as that has been looked at.
func (q Queue) ClearWhile(ctx context.Context, unreadable uint64, done ...uint64) error {
	intact := q.js
	defer func() { q.js = intact }()
	q.js = damagedStreams{intact, unreadable, done}
	return q.makeWay(ctx)
}

type damagedStreams struct {
	jetstream.JetStream
	unreadable uint64
	done       []uint64
}

func (d damagedStreams) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := d.JetStream.Stream(ctx, name)
	return damagedStream{s, d}, err
}

type damagedStream struct {
	jetstream.Stream
	damagedStreams
}

func (s damagedStream) GetMsg(ctx context.Context, n uint64, opts ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	if n != s.unreadable {
		return s.Stream.GetMsg(ctx, n, opts...)
	}
	for _, n := range s.done {
		if err := s.DeleteMsg(ctx, n); err != nil {
			return nil, err
		}
	}
	return nil, jetstream.ErrMsgNotFound
}
