package natslimit

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A lease is the right to move the limit. It is a key whose value names the worker
// and whose revision is renewed by compare and swap. Nobody's clock is compared with
// anybody else's: who wants the lease must see the same revision for half of its
// length, and who has it does not act when its own renewal is older than that.
type lease struct {
	f        *Fleet
	revision uint64
	renewed  time.Time // when the request of the newest renewal was sent
}

// elect returns the lease if it is to be had: it was given back, or its holder does
// not renew it. It takes as long as there is doubt.
func (f *Fleet) elect(ctx context.Context) *lease {
	e, err := f.kv.Get(ctx, f.key("lease"))
	now := time.Now()
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		revision, err := f.kv.Create(ctx, f.key("lease"), []byte(f.worker))
		if err != nil {
			return nil
		}
		return &lease{f, revision, now}
	case err != nil:
		_ = pause.Sleep(ctx, f.lease()/4)
		return nil
	}
	if pause.Sleep(ctx, f.lease()/2) != nil {
		return nil
	}
	now = time.Now()
	// If it was renewed meanwhile, this fails.
	revision, err := f.kv.Update(ctx, f.key("lease"), []byte(f.worker), e.Revision())
	if err != nil {
		return nil
	}
	return &lease{f, revision, now}
}

// holds reports whether the lease may be acted upon. It renews it when that is due.
func (l *lease) holds(ctx context.Context) bool {
	length := l.f.lease()
	if time.Since(l.renewed) < length/4 {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, length/4)
	defer cancel()
	now := time.Now()
	revision, err := l.f.kv.Update(ctx, l.f.key("lease"), []byte(l.f.worker), l.revision)
	switch {
	case err == nil:
		l.revision, l.renewed = revision, now
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		l.renewed = time.Time{} // somebody else has it
	}
	return time.Since(l.renewed) < length/2
}

// during returns a ctx that is done when the lease may not be acted upon any more.
func (l *lease) during(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, l.renewed.Add(l.f.lease()/2))
}

// giveBack ends the lease, so that others need not wait.
func (l *lease) giveBack(ctx context.Context) {
	f := l.f
	if err := f.kv.Delete(ctx, f.key("lease"), jetstream.LastRevision(l.revision)); err != nil {
		return // it runs out
	}
	if err := f.js.Conn().PublishMsg(&nats.Msg{Subject: f.subject, Data: encode(question{Worker: f.worker, Resigns: true})}); err != nil {
		f.c.logger.Warn("cannot tell the fleet", "error", err)
	}
}
