package limit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// TestStress: everything at once on real threads. A gauge kept by the callers
// sees no more in flight than the highest limit, and the books balance.
func TestStress(t *testing.T) {
	for _, procs := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint("procs=", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const workers, rounds, highest = 16, 300, 5
			s := limit.New(highest)
			var inFlight, completed atomic.Int64
			together(workers+1, func(i int) {
				r := rand.New(rand.NewPCG(uint64(procs), uint64(i)))
				if i == workers {
					for range rounds {
						s.SetLimit(1 + r.IntN(highest))
						runtime.Gosched()
					}
					return
				}
				for range rounds {
					if !stressAcquire(s, r) {
						continue
					}
					if n := inFlight.Add(1); n > highest {
						t.Errorf("%d in flight, the limit was never above %d", n, highest)
					}
					if r.IntN(2) == 0 {
						runtime.Gosched()
					}
					inFlight.Add(-1)
					if r.IntN(4) == 0 {
						s.Cancel()
					} else {
						s.Release()
						completed.Add(1)
					}
				}
			})
			if got := s.Counters(); got.Completed != completed.Load() {
				t.Errorf("%d completed, want %d", got.Completed, completed.Load())
			}
			isFree(t, s)
		})
	}
}

// stressAcquire acquires in one of several ways, some of which give up.
func stressAcquire(s *limit.Semaphore, r *rand.Rand) bool {
	switch r.IntN(4) {
	case 0:
		return s.TryAcquire()
	case 1:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(50))*time.Microsecond)
		defer cancel()
		return s.Acquire(ctx) == nil
	case 2:
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		return s.Acquire(ctx) == nil
	}
	return s.Acquire(context.Background()) == nil
}
