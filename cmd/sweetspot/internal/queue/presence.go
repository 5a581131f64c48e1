package queue

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A presence is what a worker says of itself when it is asked.
type presence struct {
	Name     string `json:"name"`
	Limit    int    `json:"limit"`
	InFlight int    `json:"in_flight"`
	Done     int64  `json:"done"`
	Failed   int64  `json:"failed"`
	Draining bool   `json:"draining"`
	Why      string `json:"why"`
}

// answer tells who asks.
func (w *worker) answer(m *nats.Msg) {
	l := w.x.Limiter()
	s := l.Stats()
	p := presence{Name: w.name, Draining: w.stopped(), Limit: s.Limit, InFlight: s.InFlight, Done: w.done.Load(), Failed: w.failed.Load()}
	if why := w.q.stands.reason(); why != "" {
		p.Why = why
	} else if decisions := l.Decisions(); len(decisions) > 0 {
		p.Why = decisions[len(decisions)-1].Reason.String()
	}
	if data, err := marshal(p); err == nil {
		_ = m.Respond(data) // who asked may be gone
	}
}

// pingWait is how long answers are waited for: those of other continents take less.
const pingWait = 400 * time.Millisecond

// workers returns who works on the queue now, by name.
func (q *queue) workers(ctx context.Context) ([]presence, error) {
	inbox := q.nc.NewInbox()
	answers, err := q.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	if err := q.nc.PublishRequest(q.pingSubject(), inbox, nil); err != nil {
		return nil, err
	}
	until, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	all := []presence{}
	for {
		m, err := answers.NextMsgWithContext(until)
		if err != nil { // time is up, or nobody listens
			break
		}
		var p presence
		if json.Unmarshal(m.Data, &p) == nil && p.Name != "" {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b presence) int { return strings.Compare(a.Name, b.Name) })
	return all, ctx.Err()
}
