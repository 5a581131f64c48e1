package queue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A tuning is what workers may change of the queue they share; 0 and nil leave it.
type tuning struct {
	AckWait       time.Duration  `json:"ack_wait,omitempty"` // after which a job comes again whose worker is not heard of
	MaxAckPending int            `json:"max_ack_pending,omitempty"`
	Keep          *time.Duration `json:"keep,omitempty"` // results, and long outputs with them: see outputsAge; 0 for ever
}

// unbounded is a MaxAckPending that holds nobody back.
const unbounded = -1

func (q *queue) tune(ctx context.Context, t tuning) error {
	if !q.served {
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
	if t.Keep != nil {
		if err := q.applyKeep(ctx, *t.Keep); err != nil {
			return err
		}
	}
	consumer, err := q.js.Consumer(ctx, prefix+q.name, consumerName)
	if err != nil {
		return err
	}
	to := consumer.CachedInfo().Config
	if t.AckWait > 0 {
		to.AckWait = t.AckWait
	}
	if t.MaxAckPending != 0 {
		to.MaxAckPending = t.MaxAckPending
	}
	if from := consumer.CachedInfo().Config; to.AckWait == from.AckWait && to.MaxAckPending == from.MaxAckPending {
		return nil
	}
	_, err = q.js.UpdateConsumer(ctx, prefix+q.name, to)
	return err
}

func (q *queue) applyKeep(ctx context.Context, d time.Duration) error {
	for _, stream := range []struct {
		of  string
		age time.Duration
	}{{"KV_", d}, {"OBJ_", outputsAge(d)}} { // those of a bucket, and of a store of objects
		s, err := q.js.Stream(ctx, stream.of+prefix+q.name)
		if errors.Is(err, jetstream.ErrStreamNotFound) && stream.of == "OBJ_" {
			continue // there are none yet
		}
		if err != nil {
			return err
		}
		if cfg := s.CachedInfo().Config; cfg.MaxAge != stream.age {
			if stream.of == "KV_" && d == 0 { // what has gone by its age is not missed
				jobs, err := q.js.Stream(ctx, prefix+q.name)
				if err != nil {
					return err
				}
				cfg = withFloor(cfg, jobs.CachedInfo().State.LastSeq)
			}
			cfg.MaxAge = stream.age
			if _, err := q.js.UpdateStream(ctx, cfg); err != nil {
				return err
			}
		}
		// Also if nothing changes: an earlier call may have made the change and ended before it was flushed.
		if err := q.home.keep(stream.of + prefix + q.name); err != nil {
			return err
		}
	}
	return nil
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
