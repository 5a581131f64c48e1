package queue_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// TestResultsAskTogether: a result waits at most 20 ms for others, and 32 wait for no more.
func TestResultsAskTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f queue.Flushes
		var mu sync.Mutex
		var asked []time.Duration
		began := time.Now()
		flush := func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, time.Since(began))
			return nil
		}
		var all sync.WaitGroup
		result := func() {
			all.Go(func() {
				if err := f.Ask(t.Context(), "server", flush); err != nil {
					t.Error(err)
				}
			})
		}
		result()
		all.Wait()
		for range 32 {
			result()
		}
		all.Wait()
		time.Sleep(5 * time.Millisecond)
		for range 3 {
			result()
			time.Sleep(time.Millisecond)
		}
		all.Wait()
		time.Sleep(time.Minute)
		result()
		all.Wait()
		want := []time.Duration{0, 0, 20 * time.Millisecond, time.Minute + 20*time.Millisecond}
		if len(asked) != len(want) {
			t.Fatalf("asked at %v, want %v", asked, want)
		}
		for i := range want {
			if asked[i] != want[i] {
				t.Errorf("asked at %v, want %v", asked, want)
			}
		}
	})
}

// TestResultsAskAnew: if the one that asks for others cannot wait any more, another one asks, and
// an error of the disk is that of all.
func TestResultsAskAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f queue.Flushes
		full := errors.New("the disk fails")
		asked := 0
		flush := func(ctx context.Context) error {
			asked++
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
				return full
			}
		}
		atOnce := func(context.Context) error { asked++; return nil }
		if err := f.Ask(t.Context(), "server", atOnce); err != nil { // the next one waits for others
			t.Error(err)
		}
		hasty, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := f.Ask(hasty, "server", flush); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that it was cancelled", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if err := f.Ask(t.Context(), "other", flush); !errors.Is(err, full) {
				t.Errorf("of another server: got %v, want %v", err, full)
			}
		})
		for range 3 {
			all.Go(func() {
				if err := f.Ask(t.Context(), "server", flush); !errors.Is(err, full) {
					t.Errorf("got %v, want %v", err, full)
				}
			})
		}
		synctest.Wait()
		cancel()
		all.Wait()
		if asked != 4 {
			t.Errorf("asked %d times, want 4: at first, cancelled, for the other server, and for three", asked)
		}
	})
}
