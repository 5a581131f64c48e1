package rerun

import "testing"

// Serial skips t under the race detector, and as [Skip] does without. It is for long simulations
// and long records, each in one goroutine that has nobody to race with.
func Serial(t *testing.T) {
	t.Helper()
	if Raced {
		t.Skip("it runs in one goroutine: make test runs it without the race detector")
	}
	Skip(t)
}
