// Package rerun spares a test binary the repetition of long tests whose result does
// not depend on how many CPUs there are, as go test -cpu 1,4 would have it.
package rerun

import (
	"runtime"
	"sync"
	"testing"
)

var (
	mu     sync.Mutex
	passed = map[string]int{} // on how many CPUs
)

// Skip skips t if it has passed in this process on another number of CPUs. It is for
// what runs in one goroutine and draws from seeds: simulations, data structures.
func Skip(t *testing.T) {
	t.Helper()
	cpus := runtime.GOMAXPROCS(0)
	mu.Lock()
	defer mu.Unlock()
	if on, ok := passed[t.Name()]; ok && on != cpus {
		t.Skipf("it has passed on %d CPUs", on)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if !t.Failed() && !t.Skipped() {
			passed[t.Name()] = cpus
		}
	})
}
