package sweetspot_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

func TestSpan(t *testing.T) {
	var s sweetspot.Span
	s.Set(10, 20)
	if lo, hi, ok := s.Claim(3); lo != 10 || hi != 13 || !ok {
		t.Errorf("claimed %d to %d, %v", lo, hi, ok)
	}
	if lo, hi, ok := s.Split(false); lo != 16 || hi != 20 || !ok {
		t.Errorf("split off %d to %d, %v", lo, hi, ok)
	}
	if lo, hi, ok := s.Claim(math.MaxUint32); lo != 13 || hi != 16 || !ok {
		t.Errorf("claimed %d to %d, %v", lo, hi, ok)
	}
	if _, _, ok := s.Claim(1); ok {
		t.Error("claimed from an empty span")
	}
	if _, _, ok := s.Split(true); ok {
		t.Error("split an empty span")
	}
	s.Set(5, 6)
	if lo, hi, ok := s.Split(false); lo != 5 || hi != 6 || !ok {
		t.Errorf("of one item split off %d to %d, %v: want it", lo, hi, ok)
	}
	s.Set(0, math.MaxUint32)
	if lo, hi, ok := s.Split(true); lo != 0 || hi != math.MaxUint32 || !ok {
		t.Errorf("of all split off %d to %d, %v", lo, hi, ok)
	}
}

// TestSpanUnderThieves: owner and thieves together get each item once.
func TestSpanUnderThieves(t *testing.T) {
	const n = 100_000
	var s sweetspot.Span
	s.Set(0, n)
	seen := make(once, n)
	var wg sync.WaitGroup
	take := func(lo, hi uint32) {
		for i := lo; i < hi; i++ {
			seen[i].Add(1)
		}
	}
	wg.Go(func() {
		for {
			lo, hi, ok := s.Claim(1 + rand.Uint32N(7))
			if !ok {
				return
			}
			take(lo, hi)
		}
	})
	for range 3 {
		wg.Go(func() {
			for {
				lo, hi, ok := s.Split(false)
				if !ok {
					return
				}
				take(lo, hi)
			}
		})
	}
	wg.Wait()
	seen.check(t, 1)
}

// TestRangeBeyondASpan: more numbers than a span has positions are counted in
// blocks, and none is lost where they do not divide.
func TestRangeBeyondASpan(t *testing.T) {
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
