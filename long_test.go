package sweetspot_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

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

// TestVeryLongRange: of more numbers than a span has room for none is lost.
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

// TestLongestRange: a range may have no end to speak of, until a call returns an error. Its
// chunks are as short as any.
func TestLongestRange(t *testing.T) {
	at := 0
	_, err := sweetspot.ReduceRange(t.Context(), math.MaxInt, func() int { return 0 }, func(_ context.Context, acc, lo, hi int) (int, error) {
		if lo != at || hi-lo < 1 || hi-lo > 1<<20 {
			t.Errorf("a chunk from %d to %d after %d numbers", lo, hi, at)
		}
		if at = hi; at > 1<<25 {
			return 0, errStop
		}
		return acc, nil
	}, func(a, b int) int { return a + b }, sweetspot.Fixed(1))
	if err != errStop {
		t.Errorf("%v after %d numbers", err, at)
	}
}

// TestLongestRangeOfWaits: more work than a duration has room for finds goroutines as well.
func TestLongestRangeOfWaits(t *testing.T) {
	var g gauge
	enough := int64(500 * runtime.GOMAXPROCS(0))
	err := sweetspot.ForEachIndex(t.Context(), math.MaxInt, func(context.Context, int) error {
		g.enter()
		defer g.leave()
		time.Sleep(2 * time.Millisecond)
		if g.most.Load() > int64(runtime.GOMAXPROCS(0)) || g.total.Load() > enough {
			return errStop
		}
		return nil
	})
	if got := g.most.Load(); !errors.Is(err, errStop) || got <= int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%v; never more than %d in flight", err, got)
	}
}
