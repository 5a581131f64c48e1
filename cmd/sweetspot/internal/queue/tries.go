package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// triesPrefix begins the name of the bucket that says how often jobs have failed. It is one of its
// own, since results may go by their age, and a job may wait for its next try for longer. No queue
// has a name that makes its results one of these.
const triesPrefix = "sweetspottries_"

// tries returns the bucket that says how often jobs have failed. It is made if it is not there.
func (q *queue) tries(ctx context.Context) (jetstream.KeyValue, error) {
	return asked(ctx, q.try, func(ctx context.Context) (jetstream.KeyValue, error) {
		return orMade(ctx, q, makeTries, q.js.KeyValue, triesPrefix+q.name)
	})
}

func (q *queue) makeTries(ctx context.Context) error {
	id := triesPrefix + q.name
	made, err := ensure(ctx, q.home, "KV_"+id, id, q.js.KeyValue, q.js.CreateKeyValue,
		jetstream.KeyValueConfig{Bucket: id, Description: "failures of sweetspot queue", Storage: jetstream.FileStorage})
	if !made {
		return err
	}
	return q.home.keep("KV_" + id)
}
