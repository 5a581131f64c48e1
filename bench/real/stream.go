package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// stream sends units through a gate, from one producer and each in a goroutine
// of its own, until the task's time is over. It waits for the units that then
// run, without counting them. A unit that fails ends it: none should.
func stream(ctx context.Context, t task, unit func(ctx context.Context) error) (result, error) {
	g, err := t.gate()
	if err != nil {
		return result{}, err
	}
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f := newFollower(g, t)
	// The counter and the clock are read together, however late: CPU-bound
	// work by hundreds of goroutines delays timers by as many time slices.
	var res result
	cut := time.AfterFunc(t.length(), func() {
		res.Units = g.completed()
		res.Seconds = time.Since(f.began).Seconds()
		stop(errCut)
	})
	defer cut.Stop()

	var units sync.WaitGroup
	for g.acquire(run) == nil {
		u := g.begin()
		units.Go(func() {
			err := unit(run)
			g.end(u, err == nil)
			if err != nil {
				stop(fmt.Errorf("a unit of work failed: %w", err)) // of no effect after the cut
			}
		})
	}
	units.Wait()
	f.close()
	if cause := context.Cause(run); !errors.Is(cause, errCut) {
		return result{}, cause
	}
	res.Rate = float64(res.Units) / res.Seconds
	f.fill(&res)
	return res, nil
}

// errCut says that the time of a measurement is over.
var errCut = errors.New("the time of the measurement is over")
