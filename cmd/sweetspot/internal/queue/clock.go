package queue

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// NATS knows by the time of day when a job comes again whose worker is not heard of, or that waits
// for another try. Where the clock of the server is set back, that is as much later: for an hour
// or a day nobody gets the job. So what is under way gets a new lease then, as by a worker that is
// alive.

const (
	clockEvery = time.Second
	clockBack  = time.Second // what is set back by less costs no more
)

// ahead reports whether the server that ran last noted something of a queue at a time of day that
// has yet to come: the clock was set back while nobody served.
func ahead(streams string) bool {
	all, _ := notes(streams) // starting the server reports the error
	return slices.ContainsFunc(all, func(note string) bool {
		st, err := os.Stat(note)
		return err == nil && time.Until(st.ModTime()) > clockBack
	})
}

// watchClock notices that the clock is set back, until the service ends. It may have been before.
func (v *service) watchClock(behind bool) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	last := time.Now()
	for behind = behind && !v.renew(); ; {
		select {
		case <-v.stop:
			return
		case <-tick.C:
		}
		now := time.Now()
		back := now.Sub(last) - now.Round(0).Sub(last.Round(0)) // what passed, less what the time of day says
		if last = now; back > clockBack || behind {
			behind = !v.renew()
		}
	}
}

// renew gives what is under way a new lease, and reports whether it could.
func (v *service) renew() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	names, err := v.conn.names(ctx)
	for _, name := range names {
		q := &queue{connection: v.conn, name: name}
		if one := q.judged(q.renew(ctx)); !errors.Is(one, errDeleted) {
			err = errors.Join(err, one)
		}
	}
	return err == nil
}

func (q *queue) renew(ctx context.Context) error {
	stream, err := q.js.Stream(ctx, prefix+q.name)
	if err != nil {
		return err
	}
	consumer, err := stream.Consumer(ctx, consumerName)
	if err != nil || consumer.CachedInfo().NumAckPending == 0 {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return err
	}
	done := map[uint64]bool{}
	for _, n := range info.State.Deleted {
		done[n] = true
	}
	for n := info.State.FirstSeq; n <= consumer.CachedInfo().Delivered.Stream; n++ {
		if done[n] {
			continue
		}
		if err := q.nc.Publish(q.ackSubject(n), inProgress); err != nil {
			return err
		}
	}
	return q.nc.FlushWithContext(ctx)
}
