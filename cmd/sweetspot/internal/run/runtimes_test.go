package run_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	times := make([]time.Duration, 3*run.MedianOf)
	for i := range times {
		times[i] = time.Duration(r.Int64N(50)) // with equal ones
	}
	got := run.Medians(times)
	for i := range times {
		newest := slices.Sorted(slices.Values(times[max(0, i+1-run.MedianOf) : i+1]))
		want := time.Duration(0)
		if n := len(newest); n >= 3 {
			want = (newest[(n-1)/2] + newest[n/2]) / 2
		}
		if got[i] != want {
			t.Fatalf("median %d after %d run times, want %d", got[i], i+1, want)
		}
	}
}
