package main

import (
	"context"
	"sync"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/sweetspot-go/sweetspot"
)

// A failsafe is failsafe-go's adaptive limiter. It reads the system's clock, so it must
// be made and called in a bubble of testing/synctest, where that is virtual, too; the
// limiter is then given the time of the simulation. With a queue it draws random numbers
// that have no seed.
type failsafe struct {
	ctx   context.Context // of those who wait
	clock *clock
	began time.Time
	lim   adaptivelimiter.AdaptiveLimiter[any]
	queue bool

	mu  sync.Mutex
	got []func() // to do for those who waited and have their permit
}

func newFailsafe(ctx context.Context, c *clock, s failsafeSettings) *failsafe {
	return &failsafe{ctx: ctx, clock: c, began: time.Now(), lim: s.build(), queue: s.Queue > 0}
}

func (f *failsafe) limit() int { return f.lim.Limit() }

// sync makes the bubble's time that of the simulation.
func (f *failsafe) sync() { time.Sleep(f.clock.now - time.Since(f.began)) }

func (f *failsafe) enter(start func(func(sweetspot.Outcome))) {
	f.sync()
	begin := func(p adaptivelimiter.Permit) {
		start(func(o sweetspot.Outcome) {
			f.sync()
			if o == sweetspot.Done {
				p.Record()
			} else {
				p.Drop()
			}
			f.settle()
		})
	}
	if p, ok := f.lim.TryAcquirePermit(); ok {
		begin(p)
		return
	}
	if !f.queue {
		return
	}
	go func() {
		if p, err := f.lim.AcquirePermit(f.ctx); err == nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.got = append(f.got, func() { begin(p) })
		}
	}()
	f.settle()
}

// settle lets those go on who have their permit.
func (f *failsafe) settle() {
	if !f.queue {
		return
	}
	synctest.Wait()
	f.mu.Lock()
	got := f.got
	f.got = nil
	f.mu.Unlock()
	for _, g := range got {
		f.clock.after(0, g)
	}
}
