package ranges_test

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// counting is a job that counts its numbers and adds them up.
type counting struct {
	ranges.Job
	total atomic.Int64
	twice atomic.Int64 // the sum, modulo 2⁶⁴
	each  time.Duration
	back  int64 // chunks of which half is given back
}

func (c *counting) Work(w *call.Worker) error {
	b, _ := c.Body(w)
	defer b.End()
	for {
		lo, hi, ok := b.Next()
		if !ok {
			return nil
		}
		if atomic.AddInt64(&c.back, -1) >= 0 && hi-lo > 1 {
			mid := lo + (hi-lo)/2
			b.GiveBack(mid, hi)
			hi = mid
		}
		time.Sleep(c.each)
		c.total.Add(int64(hi - lo))
		c.twice.Add(int64(hi-lo) * int64(lo+hi-1))
	}
}

// TestJob: the workers of a job get each number once, also where some are given back and
// where a span counts in blocks.
func TestJob(t *testing.T) {
	sizes := []int{0, 1, 7, 100_000}
	if math.MaxInt > math.MaxInt32 {
		sizes = append(sizes, math.MaxInt>>30+12345)
	}
	for _, n := range sizes {
		for _, fixed := range []int{1, 3} {
			t.Run(fmt.Sprintf("n=%d/fixed=%d", n, fixed), func(t *testing.T) {
				c := &counting{back: 5}
				if n < 1000 {
					c.each = time.Millisecond // so that helpers come
				}
				c.Widest = 1 << 28
				c.Engage(0, &call.Config{Fixed: fixed, MinChunk: max(1, min(n/10, 1<<26))})
				if err := c.Do(t.Context(), c, n); err != nil || c.total.Load() != int64(n) || c.twice.Load() != int64(n)*int64(n-1) {
					t.Errorf("%d numbers, twice their sum %d, %v", c.total.Load(), c.twice.Load(), err)
				}
			})
		}
	}
}
