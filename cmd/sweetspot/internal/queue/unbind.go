package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/internal/pause"
)

const (
	// fleetSilent is how long the elected worker of a fleet may write nothing until the fleet is taken
	// to be over: it writes each second. If it lives, it sets its limit again at once.
	fleetSilent = 3 * time.Second
	unbindMost  = 30 * time.Second
)

// unbind lifts the limit of a fleet that is over, for a worker that is not of the fleet. The limit
// is the consumer's: it holds for all workers, and for ever, unless somebody sets another. It stays
// for a fleet that comes later, which begins with it.
func (w *worker) unbind(ctx context.Context) {
	info, err := w.q.consumer.CachedInfo(), error(nil)
	var last time.Time // at which the elected worker wrote, by its clock; zero if nobody did
	for wait := fleetSilent; ; wait = min(2*wait, unbindMost) {
		if err == nil && info.Config.MaxAckPending > 0 {
			before := last
			last, err = w.q.fleetAt(ctx)
			if err == nil && last.Equal(before) {
				err = w.q.try(ctx, func(ctx context.Context) error { return w.q.tune(ctx, tuning{MaxAckPending: unbounded}) })
			}
			if err != nil && ctx.Err() == nil {
				w.x.Say(fmt.Sprintf("all workers together are held at %d jobs, by a fleet that may be over: %v", info.Config.MaxAckPending, err))
				return
			}
		}
		if pause.Sleep(ctx, wait) != nil {
			return
		}
		info, err = w.q.info(ctx)
	}
}

// fleetAt returns when the elected worker of a fleet last wrote what it does.
func (q *queue) fleetAt(ctx context.Context) (time.Time, error) {
	return asked(ctx, q.try, func(ctx context.Context) (time.Time, error) {
		s, err := natslimit.LoadFleet(ctx, q.kv, prefix+q.name, consumerName)
		if errors.Is(err, jetstream.ErrKeyNotFound) { // or it has gone by its age
			err = nil
		}
		return s.At, err
	})
}
