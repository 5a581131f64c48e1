package slots_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/slots"
)

var errStop = errors.New("stop")

// TestHugeLimit: limits that nobody can reach are none.
func TestHugeLimit(t *testing.T) {
	var s slots.Slots
	for _, n := range []int{1<<31 - 1, int(^uint(0) >> 1), -int(^uint(0)>>1) - 1} {
		s.SetLimit(n)
		for range 100 {
			if !s.TryTake() {
				t.Fatalf("SetLimit(%d): TryTake = false", n)
			}
		}
		for range 100 {
			s.Give()
		}
		s.Wait()
	}
}

// TestTakeCancelled: a caller that gives up leaves the queue, and a free slot is
// taken even if the context is done.
func TestTakeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots.Slots
		s.SetLimit(1)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if started, err := s.Take(ctx, nil); started || err != nil {
			t.Errorf("a free slot: %t, %v, want false, nil", started, err)
		}
		f := func() error { t.Error("called"); return nil }
		if started, err := s.Take(ctx, f); started || err != errStop {
			t.Errorf("no free slot: %t, %v, want false, %v", started, err, errStop)
		}
		if next := s.Give(); next != nil || s.Taken() != 0 {
			t.Errorf("nobody waits, but Give returns a function or %d slots are taken", s.Taken())
		}
	})
}

// TestWaitRace: the last slot is given back at the moment at which another
// goroutine begins to wait.
func TestWaitRace(t *testing.T) {
	var s slots.Slots
	ended := 0
	for i := range 20_000 {
		var running, end atomic.Bool
		s.TryTake()
		go func() {
			for running.Store(true); !end.Load(); {
				runtime.Gosched()
			}
			ended++
			s.Give()
		}()
		for !running.Load() {
			runtime.Gosched()
		}
		end.Store(true)
		for range i % 100 {
			end.Load() // some time passes
		}
		s.Wait()
		if ended != i+1 {
			t.Fatalf("Wait returned before slot %d was given back", i+1)
		}
	}
}

// TestNoBarging: as long as somebody waits, TryTake takes nothing, also while the
// limit is being raised.
func TestNoBarging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, limit, rounds = 100, 90, 50
		for range rounds {
			var s slots.Slots
			s.SetLimit(0)
			for range callers {
				go s.Take(context.Background(), nil)
			}
			synctest.Wait()
			var trying, raised atomic.Bool
			var both sync.WaitGroup
			both.Go(func() {
				for !trying.Load() {
					runtime.Gosched()
				}
				s.SetLimit(limit)
				raised.Store(true)
			})
			both.Go(func() {
				for trying.Store(true); !raised.Load(); runtime.Gosched() {
					if s.TryTake() {
						t.Error("TryTake overtook the callers that wait")
					}
				}
			})
			both.Wait()
			synctest.Wait()
			if got := s.Taken(); got != limit {
				t.Fatalf("%d slots are taken, want %d", got, limit)
			}
			s.SetLimit(-1)
			synctest.Wait()
			for range callers {
				s.Give()
			}
			s.Wait()
		}
	})
}

// TestAcrossBubbles: nothing of a synctest bubble stays behind after Wait.
func TestAcrossBubbles(t *testing.T) {
	var s slots.Slots
	s.SetLimit(1)
	use := func(t *testing.T) {
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				s.Take(t.Context(), nil)
				time.Sleep(time.Millisecond)
				s.Give()
			})
		}
		all.Wait()
		s.Wait()
	}
	synctest.Test(t, use)
	use(t)
	synctest.Test(t, use)
}
