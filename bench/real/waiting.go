package main

import (
	"context"
	"time"
)

// runWaiting is work that only waits.
func runWaiting(ctx context.Context, t task) (result, error) {
	return stream(ctx, t, func(context.Context) error {
		time.Sleep(50 * time.Millisecond)
		return nil
	})
}

// runMixed is work that computes for a tenth of its time.
func runMixed(ctx context.Context, t task) (result, error) {
	return stream(ctx, t, func(context.Context) error {
		compute(t.Spins)
		time.Sleep(9 * time.Millisecond)
		return nil
	})
}
