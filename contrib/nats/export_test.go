package natslimit

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Single returns what the wait for one message makes of an error that comes when it has just
// run out of patience.
func Single(ctx context.Context, err error) error {
	c := &consumption{take: ctx, poll: late{err: err}, patience: patienceLeast, asked: true}
	return c.single()
}

type late struct {
	jetstream.MessagesContext
	err error
}

func (l late) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	time.Sleep(2 * patienceLeast)
	return nil, l.err
}
