package sweetspot_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Callbacks that compute leave Go no moment to run the timer of a deadline. Still no item
// begins after it, but for one whose worker lost its CPU meanwhile.
func TestDeadlineOfComputingItems(t *testing.T) {
	rerun.Skip(t) // it has a number of CPUs of its own
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		deadline, _ := ctx.Deadline()
		late := 0
		err := sweetspot.ForEach(ctx, make([]int, 100), func(context.Context, int) error {
			if time.Now().After(deadline) {
				late++
			}
			for began := time.Now(); time.Since(began) < 400*time.Microsecond; {
			}
			return nil
		})
		cancel()
		if err != context.DeadlineExceeded {
			t.Fatalf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if late > 1 {
			t.Errorf("%d items began after the deadline", late)
		}
	}
}
