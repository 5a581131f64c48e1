package queue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A tuning is what workers may change of the consumer they share; 0 leaves it.
type tuning struct {
	AckWait       time.Duration `json:"ack_wait,omitempty"`
	MaxAckPending int           `json:"max_ack_pending,omitempty"`
}

// tune changes the consumer.
func (q *queue) tune(ctx context.Context, t tuning) error {
	if !q.ours() {
		return q.apply(ctx, t)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return q.ask(ctx, tuneSubject, data)
}

// apply is tune where the server is asked for it.
func (q *queue) apply(ctx context.Context, t tuning) error {
	consumer, err := q.js.Consumer(ctx, prefix+q.name, consumerName)
	if err != nil {
		return err
	}
	to := consumer.CachedInfo().Config
	if t.AckWait > 0 {
		to.AckWait = t.AckWait
	}
	if t.MaxAckPending > 0 {
		to.MaxAckPending = t.MaxAckPending
	}
	if from := consumer.CachedInfo().Config; to.AckWait == from.AckWait && to.MaxAckPending == from.MaxAckPending {
		return nil
	}
	_, err = q.js.UpdateConsumer(ctx, prefix+q.name, to)
	return err
}

// A tuner is the JetStream of a worker that may not change the consumer in any other way.
type tuner struct {
	jetstream.JetStream
	q *queue
}

// UpdateConsumer changes how many jobs may be taken at a time. It returns no consumer.
func (t tuner) UpdateConsumer(ctx context.Context, _ string, to jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return nil, t.q.tune(ctx, tuning{MaxAckPending: to.MaxAckPending})
}
