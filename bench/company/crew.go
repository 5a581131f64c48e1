package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

type crew struct {
	Work         string
	Milliseconds float64 // of a wait
	Limiters     int
	Callers      int // for each Limiter; of eachWork the elements
	Background   int // goroutines that compute meanwhile
	Fixed        int // the number, 0: automatic, or bare
	Share        string
	Server       string // its address
	Seconds      float64
	Verbose      bool
}

// The kinds of work.
const (
	waitWork = "wait" // units that wait
	askWork  = "ask"  // units that a server serves
	eachWork = "each" // one call of ForEach, whose elements wait
)

// bare is the number of a crew whose callers work without Limiters.
const bare = -1

type result struct {
	Rates  []float64 // units/s of each Limiter, or process
	Limits []int     // at the end
	CPU    float64   // CPUs used
}

func (c *crew) work(ctx context.Context) (result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range c.Background {
		go compute(ctx)
	}
	if c.Work == eachWork {
		return c.each(ctx)
	}
	unit := func(context.Context) error { time.Sleep(c.pause()); return nil }
	if c.Work == askWork {
		client := &client{address: c.Server}
		defer client.close()
		unit = func(context.Context) error { return client.ask() }
	}
	limiters, sharing, err := c.limiters()
	if err != nil {
		return result{}, err
	}
	defer sharing.Close()
	done := make([]atomic.Int64, c.Limiters)
	var all sync.WaitGroup
	began := time.Now()
	life, stop := context.WithTimeoutCause(ctx, time.Duration(c.Seconds*float64(time.Second)), errOver)
	defer stop()
	for i := range c.Limiters {
		do := func(ctx context.Context, f func(context.Context) error) error { return f(ctx) }
		if limiters != nil {
			do = limiters[i].Do
		}
		for range c.Callers {
			all.Go(func() {
				for life.Err() == nil {
					if err := do(life, unit); err == nil {
						done[i].Add(1)
					} else if life.Err() == nil {
						cancel(err)
					}
				}
			})
		}
	}
	<-life.Done()
	// What is in flight now would end after the time.
	seconds, r := time.Since(began).Seconds(), result{}
	for i := range done {
		r.Rates = append(r.Rates, float64(done[i].Load())/seconds)
	}
	all.Wait()
	if cause := context.Cause(life); !errors.Is(cause, errOver) {
		return r, cause
	}
	for i, l := range limiters {
		r.Limits = append(r.Limits, l.Limit())
		if c.Verbose {
			for _, d := range l.Decisions() {
				fmt.Fprintf(os.Stderr, "%d %8.2f s  %4d → %-4d  %s\n", i, d.At.Seconds(), d.From, d.To, d.Reason)
			}
		}
	}
	return r, nil
}

var errOver = errors.New("the time is over")

func (c *crew) pause() time.Duration {
	return time.Duration(c.Milliseconds * float64(time.Millisecond))
}

func (c *crew) each(ctx context.Context) (result, error) {
	var opts []sweetspot.MapOption
	if c.Fixed > 0 {
		opts = append(opts, sweetspot.Fixed(c.Fixed))
	}
	began := time.Now()
	err := sweetspot.ForEach(ctx, make([]struct{}, c.Callers), func(context.Context, struct{}) error {
		time.Sleep(c.pause())
		return nil
	}, opts...)
	return result{Rates: []float64{float64(c.Callers) / time.Since(began).Seconds()}}, err
}

// compute keeps a CPU busy until ctx is done.
func compute(ctx context.Context) {
	x := uint64(1)
	for ctx.Err() == nil {
		for range 10_000 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}
	runtime.KeepAlive(x)
}

// limiters returns those of a crew, of which a bare one has none, and what shares them.
func (c *crew) limiters() (all []*sweetspot.Limiter, sharing *sweetspot.Sharing, err error) {
	if c.Fixed == bare {
		return nil, nil, nil
	}
	var opts []sweetspot.LimiterOption
	switch {
	case c.Fixed > 0:
		opts = append(opts, sweetspot.Start(c.Fixed))
	case c.Share != "":
		if sharing, err = sweetspot.Share(c.Share); err != nil {
			return nil, nil, err
		}
		opts = append(opts, sharing)
	}
	for range c.Limiters {
		l := sweetspot.New(opts...)
		if c.Fixed > 0 {
			l.SetLimit(c.Fixed)
		}
		all = append(all, l)
	}
	return all, sharing, nil
}
