package main

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/sweetspot-go/sweetspot"
)

// A gate lets units of work in, a limited number at a time.
type gate interface {
	acquire(ctx context.Context) error
	begin() sweetspot.Unit // right after acquire
	end(u sweetspot.Unit, ok bool)
	completed() int64
	limit() int
	changes() []sweetspot.Change
}

// governed is sweetspot's gate, whether the limit is found or fixed: so both
// pay for the same machinery.
type governed struct{ l *sweetspot.Limiter }

func (g governed) acquire(ctx context.Context) error { return g.l.Acquire(ctx) }
func (g governed) begin() sweetspot.Unit             { return g.l.Begin() }
func (g governed) completed() int64                  { return g.l.Stats().Completed }
func (g governed) limit() int                        { return g.l.Limit() }
func (g governed) changes() []sweetspot.Change       { return g.l.Changes() }

func (g governed) end(u sweetspot.Unit, ok bool) {
	if ok {
		u.End(sweetspot.Done, 1)
	} else {
		u.End(sweetspot.Ignored, 1)
	}
}

// A peer is the semaphore that most programs use.
type peer struct {
	s    *semaphore.Weighted
	n    int
	done atomic.Int64
}

func newPeer(n int) *peer { return &peer{s: semaphore.NewWeighted(int64(n)), n: n} }

func (p *peer) acquire(ctx context.Context) error { return p.s.Acquire(ctx, 1) }
func (p *peer) begin() sweetspot.Unit             { return sweetspot.Unit{} }
func (p *peer) completed() int64                  { return p.done.Load() }
func (p *peer) limit() int                        { return p.n }
func (p *peer) changes() []sweetspot.Change       { return nil }

func (p *peer) end(_ sweetspot.Unit, ok bool) {
	if ok {
		p.done.Add(1)
	}
	p.s.Release(1)
}
