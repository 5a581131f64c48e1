package queue

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// RetryFailed is retry-failed.
func (q Queue) RetryFailed(ctx context.Context) (int, error) { return q.retryFailed(ctx) }

// Purge removes all jobs that have no result.
func (q Queue) Purge(ctx context.Context) error { return q.stream.Purge(ctx) }

// BeforePurge has do called before a key is purged, once.
func (q Queue) BeforePurge(do func()) { q.kv = beforePurge{q.kv, sync.OnceFunc(do)} }

type beforePurge struct {
	jetstream.KeyValue
	do func()
}

func (b beforePurge) Purge(ctx context.Context, key string, opts ...jetstream.KVDeleteOpt) error {
	b.do()
	return b.KeyValue.Purge(ctx, key, opts...)
}
