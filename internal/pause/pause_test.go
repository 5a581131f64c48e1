package pause_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/pause"
)

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pause.New()
		left := func(when string, want time.Duration) {
			t.Helper()
			if d := p.Left(); d != want {
				t.Errorf("%s: %v left, want %v", when, d, want)
			}
		}
		left("at first", 0)
		p.Refused(p.Refusals(), 0)
		left("after one refusal", 0)
		p.Refused(p.Refusals(), 0)
		left("after two", 5*time.Millisecond)
		p.Refused(0, 0)
		left("after one that was sent before the others came", 5*time.Millisecond)
		p.Refused(0, time.Second)
		left("after one that says how long", time.Second)
		p.Refused(0, time.Millisecond)
		left("after one that says less", time.Second)

		began := time.Now()
		if err := p.Wait(t.Context()); err != nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v, want nil after 1s", err, time.Since(began))
		}
		left("after the wait", 0)

		p.Refused(p.Refusals(), 0)
		left("after a third in a row", 10*time.Millisecond)
		p.Succeeded()
		time.Sleep(10 * time.Millisecond)
		p.Refused(p.Refusals(), 0)
		left("after a success and a refusal", 0)

		for range 100 {
			p.Refused(p.Refusals(), 0)
		}
		left("after a hundred", time.Second)
	})
}

func TestWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pause.New()
		p.Refused(0, time.Hour)
		why := errors.New("why")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		if err := p.Wait(ctx); err != why {
			t.Errorf("error %v, want the cause", err)
		}
	})
}

// Some is added to while others wait.
func TestWaitForAPauseThatGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pause.New()
		p.Refused(0, time.Second)
		time.AfterFunc(900*time.Millisecond, func() { p.Refused(0, 2*time.Second) })
		began := time.Now()
		p.Wait(t.Context())
		if d := time.Since(began); d != 2900*time.Millisecond {
			t.Errorf("waited for %v, want 2.9s", d)
		}
	})
}
