package limit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// TestBound: the time during which somebody waits is counted once, however many
// wait, up to the moment of the call, and not while nobody does.
func TestBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		want := time.Duration(0)
		check := func(when string) {
			t.Helper()
			synctest.Wait()
			if got := s.Counters().Bound; got != want {
				t.Errorf("%s: bound for %v, want %v", when, got, want)
			}
		}
		wait := func(ctx context.Context) { go s.Acquire(ctx); synctest.Wait() }

		time.Sleep(time.Second)
		check("idle")
		s.TryAcquire()
		time.Sleep(time.Second)
		check("nobody waits")
		s.TryAcquire()
		time.Sleep(time.Second)
		check("after TryAcquire in vain")

		wait(t.Context())
		check("somebody begins to wait")
		time.Sleep(time.Second)
		want += time.Second
		check("somebody waits")
		wait(t.Context())
		time.Sleep(2 * time.Second)
		want += 2 * time.Second
		check("two wait")
		s.Release()
		time.Sleep(3 * time.Second)
		want += 3 * time.Second
		check("one waits still")
		s.Release()
		time.Sleep(time.Second)
		check("all were served")

		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		wait(ctx)
		time.Sleep(10 * time.Second)
		want += 4 * time.Second
		check("the waiter gave up")

		wait(t.Context())
		time.Sleep(5 * time.Second)
		s.SetLimit(2)
		time.Sleep(time.Second)
		want += 5 * time.Second
		check("the limit was raised")

		s.Release()
		s.Release()
		isFree(t, s)
	})
}

// TestCountersAreOneInstant: goroutines that hold a permit or have just released
// it never fall between in flight and completed.
func TestCountersAreOneInstant(t *testing.T) {
	const goroutines, rounds = 4, 3000
	s := limit.New(goroutines)
	for range goroutines {
		s.TryAcquire()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(goroutines, func(int) {
			for range rounds {
				s.Release() // completed +1
				s.Acquire(context.Background())
			}
		})
	}()
	// No goroutine is ever further than one release ahead of its acquires, so
	// acquires = InFlight + Completed lies between Completed and
	// Completed + goroutines, and Completed never falls.
	last := int64(0)
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		got := s.Counters()
		if got.InFlight < 0 || got.InFlight > goroutines || got.Completed < last {
			t.Fatalf("%+v after %d completed", got, last)
		}
		last = got.Completed
	}
	got := s.Counters()
	if got.InFlight != goroutines || got.Completed != goroutines*rounds {
		t.Fatalf("at the end %+v", got)
	}
}
