package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Update records a result of a job in the place of the record with a revision.
func (q Queue) Update(ctx context.Context, job, revision uint64) error {
	return q.write(ctx, &record{Version: recordVersion, Job: job, State: stateDone}, revision)
}

// Replicate has q answer as with several replicas, where another code says that an update is lost.
func (q Queue) Replicate() { q.kv = replicated{q.kv} }

type replicated struct{ jetstream.KeyValue }

func (r replicated) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	n, err := r.KeyValue.Update(ctx, key, value, revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		lost := &jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}
		err = fmt.Errorf("%w: %w", lost, jetstream.ErrKeyRevisionMismatch)
	}
	return n, err
}
