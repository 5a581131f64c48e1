// Package rerun spares a test binary the repetition of long tests whose result does
// not depend on how many CPUs there are, as go test -cpu 1,4 would have it.
package rerun

import (
	"sync"
	"testing"
)

var (
	mu     sync.Mutex
	passed = map[string]bool{}
)

// Skip skips t if it has passed in this process already. It is for what runs in
// one goroutine and draws from seeds: simulations, data structures.
func Skip(t *testing.T) {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if passed[t.Name()] {
		t.Skip("it has passed on another number of CPUs")
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		passed[t.Name()] = !t.Failed() && !t.Skipped()
	})
}
