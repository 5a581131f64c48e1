package queue

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// Drain is [queue.drain].
func (q Queue) Drain(ctx context.Context) error { return q.drain(ctx) }

// BeforeInfo has do called before the consumer is asked for its state, once.
func (q Queue) BeforeInfo(do func()) { q.consumer = beforeInfo{q.consumer, sync.OnceFunc(do)} }

type beforeInfo struct {
	jetstream.Consumer
	do func()
}

func (b beforeInfo) Info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	b.do()
	return b.Consumer.Info(ctx)
}

// Lease has jobs come again when nobody hears of their worker for d.
func (q Queue) Lease(ctx context.Context, d time.Duration) error {
	return q.tune(ctx, tuning{AckWait: d})
}

// Asked returns how often q has connected again, and how many messages it has sent.
func (q Queue) Asked() (reconnects, sent uint64) {
	s := q.nc.Stats()
	return s.Reconnects, s.OutMsgs
}

// Work works on q until drain is closed, over a connection of its own, which dial makes.
func (h Home) Work(ctx context.Context, name string, dial Dial, handle natslimit.Handler, drain <-chan struct{}) error {
	key, err := nats.NkeyOptionFromSeed(h.Path(userKey))
	if err != nil {
		return err
	}
	nc, err := nats.Connect(h.URL(), key, nats.SetCustomDialer(dial), nats.MaxReconnects(-1), nats.ReconnectWait(time.Millisecond))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	consumer, err := js.Consumer(ctx, prefix+name, consumerName)
	if err != nil {
		return err
	}
	return natslimit.Consume(ctx, consumer, sweetspot.New(), handle, natslimit.Announce(nc, "", nil), natslimit.Drain(drain))
}

// A Dial is what a [nats.CustomDialer] does.
type Dial func(network, address string) (net.Conn, error)

func (d Dial) Dial(network, address string) (net.Conn, error) { return d(network, address) }
