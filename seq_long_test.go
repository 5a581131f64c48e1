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
