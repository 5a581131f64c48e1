package main

import (
	"context"
	"crypto/sha256"
	"runtime"
	"time"
)

// compute works for so many rounds, each some microseconds of hashing. It is
// counted, not timed: a unit that loses its CPU must take longer.
func compute(rounds int) {
	var block [1024]byte
	for range rounds {
		sum := sha256.Sum256(block[:])
		copy(block[:], sum[:])
	}
	runtime.KeepAlive(block)
}

// calibrate returns the rounds of compute that take 1 ms. It is done once, so
// that all measurements have the same units. The fastest of several tries
// counts, as any disturbance makes it slower.
func calibrate() int {
	const rounds = 500
	fastest := time.Duration(1 << 62)
	for range 100 {
		began := time.Now()
		compute(rounds)
		fastest = min(fastest, time.Since(began))
	}
	return max(1, int(rounds*time.Millisecond/max(1, fastest)))
}

// runComputing returns work of so many milliseconds of computing.
func runComputing(ms float64) func(context.Context, task) (result, error) {
	return func(ctx context.Context, t task) (result, error) {
		rounds := max(1, int(ms*float64(t.Spins)))
		return stream(ctx, t, func(context.Context) error {
			compute(rounds)
			return nil
		})
	}
}
