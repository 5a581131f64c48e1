package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// Status returns how many jobs are done, and how many have failed.
func (q Queue) Status(ctx context.Context) (done, failed int, err error) {
	s, err := q.status(ctx)
	if err != nil {
		return 0, 0, err
	}
	return s.Done, s.Failed, nil
}

// Before has do called before the keys that begin so are listed.
func (q Queue) Before(keys string, do func()) { q.kv = before{q.kv, keys, do} }

type before struct {
	jetstream.KeyValue
	keys string
	do   func()
}

func (b before) ListKeysFiltered(ctx context.Context, filters ...string) (jetstream.KeyLister, error) {
	for _, f := range filters {
		if f == b.keys+">" {
			b.do()
		}
	}
	return b.KeyValue.ListKeysFiltered(ctx, filters...)
}
