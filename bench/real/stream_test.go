package main_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	real "github.com/sweetspot-go/sweetspot/bench/real"
)

// Units that run at the cut are waited for but not counted.
func TestStreamCountsUntilTheCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		units, took, limit, err := real.Stream(t.Context(), 4, 1.02, func(context.Context) error {
			time.Sleep(50 * time.Millisecond)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if units != 80 || took != 1.02 || limit != 4 {
			t.Errorf("%d units in %v s at %v, want 80 in 1.02 s at 4", units, took, limit)
		}
		if d := time.Since(began); d != 1050*time.Millisecond {
			t.Errorf("returned after %v, want with the last unit after 1.05 s", d)
		}
	})
}

func TestStreamEndsWithAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, calls := errors.New("broken"), 0
		_, _, _, err := real.Stream(t.Context(), 1, 60, func(context.Context) error {
			time.Sleep(time.Second)
			if calls++; calls == 3 {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "a unit of work failed") {
			t.Errorf("error %v, want one that says which", err)
		}
	})
}

// What a unit says after the cut, when its context is done, is no failure.
func TestStreamForgivesFailuresAfterTheCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, err := real.Stream(t.Context(), 2, 1, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestStreamEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(gone) })
		_, _, _, err := real.Stream(ctx, 2, 60, func(ctx context.Context) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		})
		if !errors.Is(err, gone) {
			t.Errorf("error %v, want the cause", err)
		}
	})
}
