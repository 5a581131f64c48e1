package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// runWithHog computes while a neighbour takes a CPU in the middle third.
func runWithHog(ctx context.Context, t task) (result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var neighbour sync.WaitGroup
	neighbour.Go(func() {
		if !sleep(ctx, t.length()/3) {
			return
		}
		h, err := startRole(roleHog, "")
		if err != nil {
			cancel(fmt.Errorf("cannot start the neighbour: %w", err))
			return
		}
		sleep(ctx, t.length()/3)
		h.kill()
	})
	res, err := runComputing(1)(ctx, t)
	cancel(nil)
	neighbour.Wait()
	return res, err
}

// sleep waits, and reports whether it was for the whole time.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// hog takes one CPU until the one who started it is gone.
func hog() {
	go func() {
		orphaned()
		os.Exit(0)
	}()
	for {
		compute(1000)
	}
}
