package queue

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
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
	if err := c.open(ctx, false, nil); err != nil {
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
	if err := q.write(ctx, newRecord(j, "w", &run.Result{}), 0); err != nil {
		return err
	}
	return m.DoubleAck(ctx)
}

// PushAgain is Push for one who has sent the same jobs to a server before this one.
func (q Queue) PushAgain(ctx context.Context, values ...string) error {
	s := q.sending()
	s.server = "another"
	var batch []*nats.Msg
	for _, v := range values {
		m := q.message([]string{v})
		m.Header.Set(jetstream.MsgIDHeader, v)
		batch = append(batch, m)
	}
	return s.send(ctx, batch)
}

// OpenPusher is OpenServer for one who does nothing but push.
func OpenPusher(ctx context.Context, url, key, name string) (Queue, func(), error) {
	c := &connection{server: url, nkey: key, most: time.Minute, pushes: true}
	if err := c.open(ctx, false, nil); err != nil {
		return Queue{}, c.close, err
	}
	q, err := c.queue(ctx, name, true)
	return Queue{q}, c.close, err
}
