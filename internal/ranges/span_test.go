package ranges_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

func TestSpan(t *testing.T) {
	var s ranges.Span
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
	var s ranges.Span
	s.Set(0, n)
	seen := make([]atomic.Int32, n)
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
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Fatalf("item %d was claimed %d times", i, got)
		}
	}
}
