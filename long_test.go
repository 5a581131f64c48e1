package sweetspot_test

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

// TestSeqBeyondInt32: a sequence that does not end may have more values than an int has
// numbers where that has 32 bits.
func TestSeqBeyondInt32(t *testing.T) {
	for name, how := range map[string]sweetspot.MapOption{"alone": sweetspot.Fixed(1), "fed": setTo(sweetspot.New(), 2)} {
		t.Run(name, func(t *testing.T) {
			var done atomic.Int64
			err := sweetspot.ForEachSeqFrom(t.Context(), math.MaxInt32-3, slices.Values(numbers(9)), func(context.Context, int) error {
				done.Add(1)
				return nil
			}, how)
			if err != nil || done.Load() != 9 {
				t.Errorf("%v; %d of 9 values done", err, done.Load())
			}
		})
	}
}

// TestVeryLongRange: more numbers than the positions of a span are counted in
// blocks, and none is lost where they do not divide.
func TestVeryLongRange(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int has 32 bits here")
	}
	n := math.MaxInt>>30 + 12345 // 8,589,946,936
	got, err := sweetspot.ReduceRange(context.Background(), n, newRuns, func(_ context.Context, acc []span, lo, hi int) ([]span, error) {
		return join(acc, []span{{lo, hi}}), nil
	}, join)
	if err := whole(got, n, err); err != nil {
		t.Fatal(err)
	}
}
