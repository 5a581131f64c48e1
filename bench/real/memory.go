package main

import (
	"context"
	"runtime"
	"time"
)

// runMemory is work that holds memory while it waits. A few units at a time
// leave the CPUs idle; many fill the heap to its limit, and then the garbage
// collector takes the CPUs.
func runMemory(ctx context.Context, t task) (result, error) {
	return stream(ctx, t, func(context.Context) error {
		block := make([]byte, 4<<20)
		for range 3 {
			touch(block)
		}
		time.Sleep(15 * time.Millisecond)
		touch(block)
		part := make([]byte, 1<<20)
		copy(part, block)
		runtime.KeepAlive(part)
		return nil
	})
}

// touch changes each cache line of b.
func touch(b []byte) {
	for i := 0; i < len(b); i += 64 {
		b[i]++
	}
}
