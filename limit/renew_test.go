package limit_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/limit"
)

// TestRenew: after the limit was lowered the surplus leaves, unit by unit, and
// the others stay. Whoever waits goes on waiting until a permit is free.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(5)
		for range 5 {
			s.TryAcquire()
		}
		served := false
		go func() {
			s.Acquire(context.Background())
			served = true
		}()
		synctest.Wait()
		for i, step := range []struct {
			limit    int
			kept     bool
			inFlight int
		}{
			{5, true, 5},
			{2, false, 4},
			{2, false, 3},
			{2, false, 2},
			{2, true, 2},
			{1, false, 1},
			{1, true, 1},
		} {
			s.SetLimit(step.limit)
			if kept := s.Renew(); kept != step.kept {
				t.Errorf("step %d: Renew() = %t with limit %d", i, kept, step.limit)
			}
			synctest.Wait()
			got := s.Counters()
			if got.InFlight != step.inFlight || got.Completed != int64(i+1) || got.Waiting != 1 || served {
				t.Fatalf("step %d: %+v, want %d in flight, %d completed, one waiting", i, got, step.inFlight, i+1)
			}
		}
		s.Release()
		synctest.Wait()
		if got := s.Counters(); !served || got.Waiting != 0 || got.InFlight != 1 || got.Completed != 8 {
			t.Errorf("after the release %+v, want the waiter to be served", got)
		}
		s.Release()
		isFree(t, s)
	})
}

// TestRenewFolds: the count of completed units goes on where its field in the
// word ends, whether the permit is kept or given back.
func TestRenewFolds(t *testing.T) {
	for _, kept := range []bool{true, false} {
		s := limit.New(2)
		s.TryAcquire()
		s.TryAcquire()
		want := int64(limit.FoldUnit - 1)
		s.SkipCompleted(uint64(want))
		if !kept {
			s.SetLimit(1)
		}
		if got := s.Renew(); got != kept {
			t.Errorf("Renew() = %t, want %t", got, kept)
		}
		left := 1
		if kept {
			left = 2
		}
		if got := s.Counters(); got.Completed != want+1 || got.InFlight != left {
			t.Errorf("got %+v, want Completed %d, InFlight %d", got, want+1, left)
		}
		for range left {
			s.Release()
		}
		isFree(t, s)
	}
}

// TestRenewTogether: workers renew while the limit moves and others come and go.
// The books balance, and no more are in than the highest limit.
func TestRenewTogether(t *testing.T) {
	const workers, rounds, highest = 8, 2000, 5
	s := limit.New(highest)
	s.SkipCompleted(limit.FoldUnit - workers*rounds/4) // over the edge meanwhile
	var in, completed atomic.Int64
	completed.Store(limit.FoldUnit - workers*rounds/4)
	together(workers+1, func(i int) {
		if i == workers {
			for n := range rounds {
				s.SetLimit(1 + n%highest)
				runtime.Gosched()
			}
			return
		}
		holds := false
		for n := range rounds {
			switch {
			case !holds:
				if holds = s.TryAcquire(); holds {
					if got := in.Add(1); got > highest {
						t.Errorf("%d in flight, the limit was never above %d", got, highest)
					}
				}
			case n%16 == 0:
				in.Add(-1)
				s.Release()
				completed.Add(1)
				holds = false
			default:
				in.Add(-1)
				holds = s.Renew()
				completed.Add(1)
				if holds {
					in.Add(1)
				}
			}
			if n%8 == 0 {
				runtime.Gosched()
			}
		}
		if holds {
			in.Add(-1)
			s.Cancel()
		}
	})
	if got := s.Counters(); got.Completed != completed.Load() {
		t.Errorf("%d completed, want %d", got.Completed, completed.Load())
	}
	isFree(t, s)
}
