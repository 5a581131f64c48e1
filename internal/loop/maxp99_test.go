package loop_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// With n in flight units take 10 ms and n quarters of a millisecond: 60 take 25 ms.
func TestMaxP99(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		l := loop.New(loop.Config{Start: 4, MaxP99: 25 * time.Millisecond,
			Sensor: sensor(func(int) sense.Sample { return sense.Sample{CPUs: 4} })})
		ctx, cancel := context.WithCancel(t.Context())
		var inside gauge
		var done sync.WaitGroup
		for range 120 {
			done.Go(func() {
				for ctx.Err() == nil {
					l.Do(ctx, func(context.Context) error {
						inside.enter()
						defer inside.leave()
						time.Sleep(10*time.Millisecond + time.Duration(inside.now.Load())*time.Millisecond/4)
						return nil
					})
				}
			})
		}
		pause(10 * time.Second)
		least, most := l.Limit(), l.Limit()
		for range 50 {
			pause(100 * time.Millisecond)
			least, most = min(least, l.Limit()), max(most, l.Limit())
		}
		if least < 30 || most > 64 {
			t.Errorf("the limit is between %d and %d, want a little below 60, or half an octave less for a moment\n%v", least, most, l.Decisions())
		}
		cancel()
		done.Wait()
	})
}
