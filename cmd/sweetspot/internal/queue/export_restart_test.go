package queue

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Last returns the number of the last job.
func (q Queue) Last(ctx context.Context) (uint64, error) {
	info, err := q.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}

// Boot returns the name of this run of the machine.
func Boot() string { return boot() }

// Boot has h think that this is such a run of the machine. It comes before Serve.
func (h Home) Boot(run string) { h.boot = run }

// Missing returns what wait says of results that are gone.
func (q Queue) Missing(ctx context.Context) error {
	last, err := q.empty(ctx)
	if err != nil {
		return err
	}
	return q.complete(ctx, last)
}

// Keep sets how long results stay, 0 for ever.
func (q Queue) Keep(ctx context.Context, d time.Duration) error {
	return q.try(ctx, func(ctx context.Context) error { return q.tune(ctx, tuning{Keep: &d}) })
}

// AcceptLoss is wait --accept-loss.
func (q Queue) AcceptLoss(ctx context.Context) error {
	last, err := q.empty(ctx)
	if err != nil {
		return err
	}
	return q.raise(ctx, last)
}

// Pending returns how many jobs are to be given to workers.
func (q Queue) Pending(ctx context.Context) (uint64, error) {
	info, err := q.consumer.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.NumPending, nil
}

// OpenServed connects to a home that this process serves.
func OpenServed(ctx context.Context, h Home, name string, create bool) (Queue, func(), error) {
	c := &connection{server: h.URL(), nkey: h.Path(userKey), most: time.Minute}
	if err := c.open(ctx, false, func(string) {}); err != nil {
		return Queue{}, c.close, err
	}
	c.home = h.home
	q, err := c.queue(ctx, name, create)
	return Queue{q}, func() { c.nc.Close() }, err
}

// Work takes a job, records its result and acknowledges it.
func (q Queue) Work(ctx context.Context) error {
	m, err := q.consumer.Next()
	if err != nil {
		return err
	}
	j, err := readJob(m)
	if err != nil {
		return err
	}
	if err := q.write(ctx, newRecord(j, "w", &run.Result{}, 0), 0); err != nil {
		return err
	}
	return m.DoubleAck(ctx)
}

// PushAgain is Push for one who has sent the same jobs to a server before this one.
func (q Queue) PushAgain(ctx context.Context, values ...string) error {
	s := q.sending()
	s.server = "another"
	_, err := s.confirm(ctx, q.batch(values))
	return err
}

// Key makes a key of the bucket.
func (q Queue) Key(ctx context.Context, key string) error { return q.put(ctx, key, "") }

// Fill has the queue look as one whose n jobs are done.
func (q Queue) Fill(ctx context.Context, n uint64) error {
	data, err := marshal(&record{Version: recordVersion, State: stateDone, Values: texts{text("value")}, Worker: "w"})
	if err != nil {
		return err
	}
	for job := range n {
		if _, err := q.js.PublishAsync("$KV."+prefix+q.name+"."+jobKey(job+1), data, jetstream.WithStallWait(time.Minute)); err != nil {
			return err
		}
	}
	<-q.js.PublishAsyncComplete()
	return q.stream.Purge(ctx, jetstream.WithPurgeSequence(n+1))
}
