package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// backOff is how long another client waits after a refusal.
const backOff = 10 * time.Millisecond

// A sample is what one phase brought.
type sample struct {
	Tenant      string
	Connections int
	Round       int
	Phase       phase
	Others      float64 // requests answered, 1/s
	Sent        float64 // requests of the tenant, 1/s
	Limit       int     // in the end
	Disturbed   float64 // CPUs that other processes used meanwhile
}

// A phase is with whom the others share the server.
type phase string

const (
	withHostile  phase = "hostile"
	withHarmless phase = "harmless"
	withNobody   phase = "nobody"
)

type bench struct {
	options
	log     io.Writer
	samples []sample
}

// newLimiter returns what the zero servers make for themselves.
func newLimiter() *sweetspot.Limiter {
	return sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
}

// pacing is how long the run is that finds a rate, and easy the part of it that is sent.
const (
	pacing = time.Second
	easy   = 0.9
)

// measure measures a tenant with so many connections.
func (b *bench) measure(ctx context.Context, t tenant, connections int) error {
	for round := range b.rounds {
		rate := math.Inf(1)
		for _, p := range []phase{withHostile, withHarmless} {
			s, err := b.phase(ctx, t, connections, p, 0, pacing)
			if err != nil {
				return err
			}
			rate = min(rate, easy*s.Sent)
		}
		for _, p := range []phase{withHostile, withHarmless, withNobody} {
			s, err := b.quietly(ctx, t, connections, p, rate, b.length)
			if err != nil {
				return err
			}
			s.Round = round + 1
			b.samples = append(b.samples, s)
			fmt.Fprintf(b.log, "%s, %d connections, %s: %.0f/s for the others, %.0f/s sent, limit %d; other processes used %.2f CPUs\n",
				t.name, connections, p, s.Others, s.Sent, s.Limit, s.Disturbed)
		}
	}
	return nil
}

const (
	// repeats is how often a disturbed phase is measured again.
	repeats = 8
	// restless is how many CPUs other processes may use. This program needs one and a half,
	// with 64 connections that hammer.
	restless = 0.3
)

// quietly is phase. With -strict it repeats what other processes disturbed.
func (b *bench) quietly(ctx context.Context, t tenant, connections int, p phase, rate float64, length time.Duration) (s sample, err error) {
	for range repeats + 1 {
		before := load.Now()
		if s, err = b.phase(ctx, t, connections, p, rate, length); err != nil {
			return s, err
		}
		if s.Disturbed, _ = load.Now().OthersSince(before); !b.strict || s.Disturbed <= restless {
			break
		}
	}
	return s, nil
}

// phase measures for some time what the others get. The tenant sends at a rate, or without
// a pause if that is 0.
func (b *bench) phase(ctx context.Context, t tenant, connections int, p phase, rate float64, length time.Duration) (s sample, err error) {
	site, err := t.open()
	if err != nil {
		return s, err
	}
	defer site.close()
	clients, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	var others, sent atomic.Int64
	for range b.others {
		other, _, _, err := site.connect()
		if err != nil {
			return s, err
		}
		wg.Go(func() { insist(clients, other, &others) })
	}
	if pause.Sleep(ctx, b.settle) != nil {
		return s, context.Cause(ctx)
	}
	began, before := time.Now(), others.Load()
	for i := range connections {
		_, hostile, harmless, err := site.connect()
		if err != nil {
			return s, err
		}
		do := map[phase]call{withHostile: hostile, withHarmless: harmless}[p]
		switch {
		case do == nil:
		case rate == 0:
			wg.Go(func() { keepPace(clients, do, &sent, began, 0) })
		default:
			every := time.Duration(float64(connections) / rate * float64(time.Second))
			wg.Go(func() {
				keepPace(clients, do, &sent, began.Add(every*time.Duration(i)/time.Duration(connections)), every)
			})
		}
	}
	if pause.Sleep(ctx, length) != nil {
		return s, context.Cause(ctx)
	}
	took := time.Since(began).Seconds()
	return sample{
		Tenant: t.name, Connections: connections, Phase: p,
		Others: float64(others.Load()-before) / took, Sent: float64(sent.Load()) / took, Limit: site.limit(),
	}, nil
}

// insist is another client: it counts what is answered.
func insist(ctx context.Context, do call, answered *atomic.Int64) {
	for ctx.Err() == nil {
		if do(ctx) {
			answered.Add(1)
		} else {
			_ = pause.Sleep(ctx, backOff) // the loop ends with ctx
		}
	}
}

// keepPace is a connection of a tenant. A request that is late is sent at once.
func keepPace(ctx context.Context, do call, sent *atomic.Int64, next time.Time, every time.Duration) {
	for ; ctx.Err() == nil && pause.Sleep(ctx, time.Until(next)) == nil; next = next.Add(every) {
		do(ctx)
		sent.Add(1)
	}
}
