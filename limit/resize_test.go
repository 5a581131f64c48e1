package limit_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// TestSetLimitWakesExactly: those who fit, in order, and nobody else.
func TestSetLimitWakesExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		s.TryAcquire()
		served := make([]bool, 10)
		for i := range served {
			go func() {
				s.Acquire(context.Background())
				served[i] = true
			}()
			synctest.Wait()
		}
		for _, step := range []struct{ release, limit, served int }{
			{0, 1, 0},
			{0, 4, 3}, // 3 more fit
			{0, 2, 3}, // 4 hold, none is sent away
			{0, 3, 3}, // still one too many
			{1, 3, 3}, // 3 hold of 3
			{1, 3, 4}, // each release admits one
			{0, 5, 6}, // 2 more fit
			{3, 2, 9}, // each is handed over before the limit falls
			{3, 2, 9}, // 2 hold of 2
			{1, 2, 10},
			{0, 20, 10},
		} {
			for range step.release {
				s.Release()
			}
			s.SetLimit(step.limit)
			synctest.Wait()
			n := 0
			for n < len(served) && served[n] {
				n++
			}
			if n != step.served || slices.Contains(served[n:], true) {
				t.Fatalf("after %+v: served %v, want the first %d", step, served, step.served)
			}
		}
	})
}

// TestFlappingLimit: 1,000 callers wait while the limit goes up and down by one.
// All are served, in order.
func TestFlappingLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters = 1000
		s := limit.New(3)
		for s.TryAcquire() {
		}
		start := time.Now()
		var servedAt [waiters]time.Duration
		var holding, served atomic.Int32
		for i := range waiters {
			go func() {
				if err := s.Acquire(context.Background()); err != nil {
					t.Error(err)
					return
				}
				servedAt[i] = time.Since(start)
				if n := holding.Add(1); n > 4 {
					t.Errorf("%d hold a permit, the limit was never above 4", n)
				}
				// No two end at the same time, so the order is seen.
				time.Sleep(time.Millisecond + time.Duration(i)*time.Microsecond)
				holding.Add(-1)
				s.Release()
				served.Add(1)
			}()
			synctest.Wait()
		}
		if n := s.Counters().Waiting; n != waiters {
			t.Fatalf("%d waiting, want %d", n, waiters)
		}
		for range 3 {
			s.Release()
		}
		for i := 0; served.Load() < waiters; i++ {
			s.SetLimit(3 + i%2)
			time.Sleep(137 * time.Microsecond)
			if i > 1e5 {
				t.Fatalf("only %d of %d were served: %+v", served.Load(), waiters, s.Counters())
			}
		}
		if !slices.IsSorted(servedAt[:]) {
			t.Error("the waiters were not served in the order of their arrival")
		}
		isFree(t, s)
	})
}

// TestFlappingConcurrently: the same with real threads, and more changes of the
// limit than permits.
func TestFlappingConcurrently(t *testing.T) {
	const waiters = 1000
	s := limit.New(2)
	for s.TryAcquire() {
	}
	var served atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(waiters, func(int) {
			if err := s.Acquire(context.Background()); err != nil {
				t.Error(err)
			}
			runtime.Gosched()
			s.Release()
			served.Add(1)
		})
	}()
	for s.Counters().Waiting < waiters {
		time.Sleep(0)
	}
	for range 2 {
		s.Release()
	}
	for i := 0; served.Load() < waiters; i++ {
		s.SetLimit(1 + i%2)
	}
	<-done
	isFree(t, s)
}

// TestLoweringIsExact: once no more than the new, lower limit are in flight,
// there are never more again, although callers try all the time.
func TestLoweringIsExact(t *testing.T) {
	s := limit.New(8)
	var stop atomic.Bool
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		together(8, func(i int) {
			for !stop.Load() {
				if i%2 == 0 {
					s.Acquire(context.Background())
				} else if !s.TryAcquire() {
					runtime.Gosched()
					continue
				}
				runtime.Gosched()
				s.Release()
			}
		})
	}()
	for i := range 100 {
		low := 1 + i%3
		s.SetLimit(low)
		for s.Counters().InFlight > low {
			runtime.Gosched()
		}
		for range 20 {
			if got := s.Counters(); got.InFlight > low {
				t.Errorf("%+v, after the limit was lowered to %d and reached", got, low)
			}
		}
		s.SetLimit(8)
	}
	stop.Store(true)
	<-finished
	isFree(t, s)
}
