package natslimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
	"github.com/sweetspot-go/sweetspot"
)

// A Worker is what a [Consume] with [Announce] says of itself. Ended and Occupancy only
// grow.
type Worker struct {
	Name      string  `json:"name"`
	Limit     int     `json:"limit"`     // of its Limiter, now
	InFlight  int     `json:"in_flight"` // messages with a permit
	Ended     int64   `json:"ended"`     // messages that gave their permit back, handled or failed
	Occupancy float64 `json:"occupancy"` // integral of InFlight over time, s
	Draining  bool    `json:"draining,omitempty"`
	Why       string  `json:"why,omitempty"` // in words: what holds it up, or else its Limiter's newest decision
}

// Announce lets the worker answer [Workers] over nc, which [Scale] needs. name tells it
// from other workers of the consumer; if empty, it is the host, the process and a random
// part, another one for each Consume. The worker subscribes to a subject that begins with
// "sweetspot.workers." and the names of stream and consumer. stands, unless nil, says what
// the worker waits for, "" if for nothing; several goroutines may call it. Announce panics
// if nc is nil.
func Announce(nc *nats.Conn, name string, stands func() string) Option {
	if nc == nil {
		panic("sweetspot: Announce(nil): want a connection")
	}
	return func(s *settings) {
		// Containers may share a host name, and their processes have the same number.
		own := cmp.Or(name, fmt.Sprintf("%s:%d:%s", hostname(), os.Getpid(), nuid.Next()))
		s.presence = &presence{nc: nc, stands: stands, worker: Worker{Name: own}}
	}
}

func hostname() string {
	host, _ := os.Hostname()
	return cmp.Or(host, "worker")
}

// answerPause ends the wait for answers: this long after the last one, no more are
// expected. Those of other continents take less.
const answerPause = 400 * time.Millisecond

// Workers returns the workers of a consumer that announce themselves, by name. It takes
// 0.4 s longer than the last answer, and returns at once if there are none. A worker that
// cannot answer in that time is missing, as is one that has yet to connect again after the
// server has restarted. The error is that of the connection, such as
// [nats.ErrDisconnected] while the server is away, or context.Cause of ctx.
func Workers(ctx context.Context, nc *nats.Conn, stream, consumer string) ([]Worker, error) {
	inbox := nc.NewInbox()
	answers, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	if err := nc.PublishRequest(workersSubject(stream, consumer), inbox, nil); err != nil {
		return nil, err
	}
	var all []Worker
	for {
		once, cancel := context.WithTimeout(ctx, answerPause)
		m, err := answers.NextMsgWithContext(once)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded) && !nc.IsConnected():
			return nil, nats.ErrDisconnected
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrNoResponders), err == nil && m.Header.Get("Status") == "503":
			slices.SortFunc(all, func(a, b Worker) int { return strings.Compare(a.Name, b.Name) })
			return all, nil
		case err != nil:
			return nil, err
		}
		if w, ok := decode[Worker](m.Data); ok && w.Name != "" {
			all = append(all, w)
		}
	}
}

func workersSubject(stream, consumer string) string {
	return "sweetspot.workers." + stream + "." + consumer
}

// A presence is what a worker knows of itself for those who ask.
type presence struct {
	nc     *nats.Conn
	stands func() string
	mu     sync.Mutex
	// worker is up to date at the time at, but for its limit.
	worker Worker
	at     time.Time
}

// count brings the occupancy up to date, and adds n to the messages with a permit.
func (p *presence) count(n int) {
	if p == nil {
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &p.worker
	w.Occupancy += float64(w.InFlight) * now.Sub(p.at).Seconds()
	w.InFlight += n
	if p.at = now; n < 0 {
		w.Ended++
	}
}

// answer begins to tell those who ask. It returns what ends that.
func (p *presence) answer(c *consumption, stream, consumer string) (end func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	sub, err := p.nc.Subscribe(workersSubject(stream, consumer), func(m *nats.Msg) {
		p.count(0)
		p.mu.Lock()
		w := p.worker
		p.mu.Unlock()
		w.Limit, w.Draining, w.Why = c.limiter.Limit(), c.take.Err() != nil, p.why(c.limiter)
		if err := m.Respond(encode(w)); err != nil {
			c.logger.Warn("cannot answer a request for the workers", "error", err)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("sweetspot: cannot announce the worker: %w", err)
	}
	return unsubscribed(sub), nil
}

func (p *presence) why(l *sweetspot.Limiter) string {
	if p.stands != nil {
		if why := p.stands(); why != "" {
			return why
		}
	}
	if all := l.Decisions(); len(all) > 0 {
		return all[len(all)-1].Reason.String()
	}
	return ""
}

// unsubscribed returns what ends sub, and waits for its handler. One of a late question
// may still run after Unsubscribe.
func unsubscribed(sub *nats.Subscription) func() {
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	return func() {
		if sub.Unsubscribe() == nil {
			<-closed
		}
	}
}
