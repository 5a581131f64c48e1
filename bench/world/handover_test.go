package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
	"github.com/sweetspot-go/sweetspot/limit"
)

const (
	handOverLimit   = 24
	handOverCallers = 512
	handOverSlice   = time.Second
)

// A gate lets a bounded number of units run at a time.
type gate func(ctx context.Context, u unit) error

// gates are the ways to pass permits from one goroutine to the next.
func gates() map[string]gate {
	places := make(chan struct{}, handOverLimit)
	bare := limit.New(handOverLimit)
	pair, do := sweetspot.New(), sweetspot.New()
	pair.SetLimit(handOverLimit)
	do.SetLimit(handOverLimit)
	return map[string]gate{
		"channel": func(ctx context.Context, u unit) error {
			places <- struct{}{}
			defer func() { <-places }()
			return u(ctx)
		},
		"channel and ctx": func(ctx context.Context, u unit) error { // heeds ctx while it waits, as ours do
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			defer func() { <-places }()
			return u(ctx)
		},
		"limit": func(ctx context.Context, u unit) error {
			if err := bare.Acquire(ctx); err != nil {
				return err
			}
			defer bare.Release()
			return u(ctx)
		},
		"acquire": func(ctx context.Context, u unit) error {
			if err := pair.Acquire(ctx); err != nil {
				return err
			}
			defer pair.Release()
			return u(ctx)
		},
		"do": func(ctx context.Context, u unit) error { return do.Do(ctx, u) },
	}
}

// BenchmarkHandOver compares them where many more goroutines get pages from nginx than
// may do so at a time. Each iteration gives every gate one second, in random order. It
// reports the pages a second through a channel, and medians of the others' shares of it.
func BenchmarkHandOver(b *testing.B) {
	h, err := newHost()
	if err != nil {
		b.Fatal(err)
	}
	defer h.close()
	u, err := openFiles(b.Context(), h)
	if skippable(err) {
		b.Skip(err)
	} else if err != nil {
		b.Fatal(err)
	}
	all := gates()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	rates := map[string][]float64{}
	for b.Loop() {
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			rate, err := through(b.Context(), all[name], u)
			if err != nil {
				b.Fatal(err)
			}
			rates[name] = append(rates[name], rate)
		}
	}
	b.ReportMetric(stats.Median(rates["channel"]), "pages/s")
	for _, name := range names {
		if name == "channel" {
			continue
		}
		var shares []float64
		for i, rate := range rates[name] {
			shares = append(shares, rate/rates["channel"][i])
		}
		b.ReportMetric(stats.Median(shares), strings.ReplaceAll(name, " ", "-")+"/channel")
	}
}

// through returns the units per second that the callers do behind a gate.
func through(ctx context.Context, g gate, u unit) (float64, error) {
	var done atomic.Int64
	var failure atomic.Pointer[error]
	var stop atomic.Bool
	var callers sync.WaitGroup
	began := time.Now()
	for range handOverCallers {
		callers.Go(func() {
			for !stop.Load() {
				if err := g(ctx, u); err != nil {
					failure.CompareAndSwap(nil, &err)
					return
				}
				done.Add(1)
			}
		})
	}
	time.Sleep(handOverSlice)
	n, took := done.Load(), time.Since(began)
	stop.Store(true)
	callers.Wait()
	if err := failure.Load(); err != nil {
		return 0, *err
	}
	return float64(n) / took.Seconds(), nil
}
