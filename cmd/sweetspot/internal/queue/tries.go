package queue

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// triesPrefix begins the name of the bucket that says how often jobs have failed. It is one of its
// own, since results may go by their age, and a job may wait for its next try for longer. No queue
// has a name that makes its results one of these.
const triesPrefix = "sweetspottries_"

// tries returns the bucket that says how often jobs have failed. It is made if it is not there.
func (q *queue) tries(ctx context.Context) (kv jetstream.KeyValue, err error) {
	err = q.try(ctx, func(ctx context.Context) (err error) {
		kv, err = q.js.KeyValue(ctx, triesPrefix+q.name)
		if !errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
		if err = q.want(ctx, makeTries); err == nil {
			kv, err = q.js.KeyValue(ctx, triesPrefix+q.name)
		}
		return err
	})
	return kv, err
}

func (q *queue) makeTries(ctx context.Context) error {
	id := triesPrefix + q.name
	if _, err := q.js.KeyValue(ctx, id); !errors.Is(err, jetstream.ErrBucketNotFound) {
		return err
	}
	if err := q.home.fresh("KV_" + id); err != nil {
		return err
	}
	if _, err := q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: id, Description: "failures of sweetspot queue", Storage: jetstream.FileStorage}); err != nil {
		return err
	}
	return q.home.keep("KV_" + id)
}
