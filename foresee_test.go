package sweetspot_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// TestCallsPrestart: what two calls have found is used by the third from its
// first moment on.
func TestCallsPrestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			opt  sweetspot.MapOption
			took []time.Duration
		}{
			{sweetspot.Fixed(2), []time.Duration{20*time.Millisecond + sweetspot.FirstLook, 20*time.Millisecond + sweetspot.FirstLook, 20 * time.Millisecond, 20 * time.Millisecond}},
			{sweetspot.Fixed(1), []time.Duration{40 * time.Millisecond, 40 * time.Millisecond, 40 * time.Millisecond}},
			{setTo(sweetspot.New(), 2), []time.Duration{20*time.Millisecond + sweetspot.FirstLook, 20*time.Millisecond + sweetspot.FirstLook, 20 * time.Millisecond}},
		} {
			sweetspot.Forget()
			for i, want := range c.took {
				began := time.Now()
				err := sweetspot.ForEach(t.Context(), make([]int, 4), func(context.Context, int) error {
					time.Sleep(10 * time.Millisecond)
					return nil
				}, c.opt)
				if took := time.Since(began); err != nil || took != want {
					t.Errorf("call %d took %v, want %v (%v)", i+1, took, want, err)
				}
			}
		}
	})
}
