// Package adaptertest has what the tests of several adapters need: a backend that is shared by all
// calls, and workers in processes of their own, which can be killed.
package adaptertest

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Backend serves 8 calls at a time in 20 ms each, so 400 a second. With more, all
// become slower: by (n/8)^1.5 with n at a time. The zero Backend is ready to use.
type Backend struct {
	running atomic.Int64
	mu      sync.Mutex
	took    []time.Duration
}

// Call returns when the backend has served the call.
func (b *Backend) Call() {
	began := time.Now()
	crowd := max(float64(b.running.Add(1))/8, 1)
	time.Sleep(time.Duration(20e6 * math.Pow(crowd, 1.5)))
	b.running.Add(-1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took = append(b.took, time.Since(began))
}

// Rate returns the calls a second and the 99th percentile of their times for so long, both 0 if
// there was no call.
func (b *Backend) Rate(long time.Duration) (rate float64, p99 time.Duration) {
	b.mu.Lock()
	b.took = nil
	b.mu.Unlock()
	began := time.Now()
	time.Sleep(long)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.took) == 0 {
		return 0, 0
	}
	slices.Sort(b.took)
	return float64(len(b.took)) / time.Since(began).Seconds(), b.took[len(b.took)*99/100]
}
