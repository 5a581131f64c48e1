package queue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A sending sends messages until all of them are confirmed. A server knows messages that are sent
// twice by their ids. One that starts reads those from the messages in the stream: of a job that
// was run meanwhile, and left the stream, it knows nothing. But the record of that says its id.
type sending struct {
	*queue
	began  time.Time
	server string // that the messages were sent to last
}

func (q *queue) sending() *sending { return &sending{queue: q, began: time.Now()} }

// unrecorded returns those of batch that are to be sent: to another server than before, those
// of which there is no record.
func (s *sending) unrecorded(ctx context.Context, batch []*nats.Msg) (left []*nats.Msg, err error) {
	server := s.nc.ConnectedServerId()
	switch {
	case server == "":
		return batch, s.lost()
	case s.server == "", s.server == server:
		s.server = server
		return batch, nil
	}
	w := which{Age: time.Since(s.began) + clockDrift}
	for _, m := range batch {
		w.IDs = append(w.IDs, m.Header.Get(jetstream.MsgIDHeader))
	}
	ctx, cancel := context.WithTimeout(ctx, recordedMost)
	defer cancel()
	recorded, err := s.recorded(ctx, w)
	if err != nil {
		return batch, err
	}
	s.server = server
	for _, m := range batch {
		if !recorded[m.Header.Get(jetstream.MsgIDHeader)] {
			left = append(left, m)
		}
	}
	return left, nil
}

const (
	// clockDrift is how much the clocks of a pusher and its server may differ over the time that
	// a batch takes.
	clockDrift = 10 * time.Second
	// recordedMost is how long it may take to read the records since then.
	recordedMost = time.Minute
)

// A which asks for the jobs with these ids that got a result in the last while.
type which struct {
	Age time.Duration `json:"age"`
	IDs []string      `json:"ids"`
}

// recorded returns the ids of those jobs.
func (q *queue) recorded(ctx context.Context, w which) (ids map[string]bool, err error) {
	if q.served {
		data, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		m, err := q.nc.RequestWithContext(ctx, sentSubject+q.name, data)
		if err == nil && json.Unmarshal(m.Data, &ids) != nil {
			err = readRefusal(m.Data)
		}
		return ids, err
	}
	wanted := map[string]bool{}
	for _, id := range w.IDs {
		wanted[id] = true
	}
	since := time.Now().Add(-w.Age)
	c, err := q.js.OrderedConsumer(ctx, "KV_"+prefix+q.name, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{"$KV." + prefix + q.name + "." + jobKeys + ">"},
		DeliverPolicy:  jetstream.DeliverByStartTimePolicy, OptStartTime: &since,
	})
	if err != nil {
		return nil, err
	}
	ids = map[string]bool{}
	for left := c.CachedInfo().NumPending; left > 0; {
		m, err := c.Next(jetstream.FetchContext(ctx))
		if err != nil {
			return nil, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		left = meta.NumPending
		var r struct{ Push string }
		if err := json.Unmarshal(m.Data(), &r); err == nil && wanted[r.Push] {
			ids[r.Push] = true
		}
	}
	return ids, nil
}

// sent answers which of some jobs got a result lately.
func (v *service) sent(m *nats.Msg) {
	var w which
	if err := json.Unmarshal(m.Data, &w); err != nil || !answerable(m) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), recordedMost)
		defer cancel()
		ids, err := (&queue{connection: v.conn, name: last(m.Subject)}).recorded(ctx, w)
		if err != nil {
			answer(m, err)
		} else if data, err := json.Marshal(ids); err == nil {
			_ = m.Respond(data)
		}
	}()
}
