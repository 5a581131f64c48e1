package run_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Samples that come late do not change the rate that the status line shows.
func TestRateOfLateSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, samples := range []int{1, 19, 20, 21, 50} {
			if got := run.Rate(samples, 150*time.Millisecond, 15); math.Abs(got-100) > 1e-6 {
				t.Errorf("%v jobs/s after %d samples, want 100", got, samples)
			}
		}
	})
}
