package loop

import (
	"context"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A Loop is a semaphore that is governed. Any number of goroutines may use it, once it
// was made by [New] or [Loop.Init].
type Loop struct {
	plant  plant
	waits  *waits // nil without a name
	budget budget

	// Config is not changed after Init.
	Config Config
	gov    governor
}

// New returns a Loop.
func New(c Config) *Loop {
	l := &Loop{Config: c}
	l.Init()
	return l
}

// Init makes a Loop of the zero Loop, or of one of which only Config was set. It panics if
// Min is above Max.
func (l *Loop) Init() {
	c := &l.Config
	c.fill()
	if c.Name != "" {
		l.waits = new(waits)
	}
	l.plant.sem, l.plant.epoch = limit.New(c.Start), time.Now()
	l.budget.most = c.Budget
	l.gov.init(c, &l.plant)
}

// Acquire takes a permit, or returns the cause of ctx.
func (l *Loop) Acquire(ctx context.Context) error { return l.AcquireIn(ctx, nil) }

// AcquireIn is Acquire, waiting in w unless that is nil.
func (l *Loop) AcquireIn(ctx context.Context, w *limit.Waiter) error {
	var err error
	if l.waits != nil {
		err = l.waits.acquire(ctx, l.plant.sem, w)
	} else {
		err = l.plant.sem.AcquireIn(ctx, w)
	}
	if err == nil && !l.plant.awake.Load() {
		l.gov.wake()
	}
	return err
}

// TryAcquire takes a permit if one is free, and counts a refusal otherwise.
func (l *Loop) TryAcquire() bool {
	if l.TryTake() {
		return true
	}
	l.plant.refused.Add(1)
	return false
}

// TryTake is TryAcquire for a caller that can do without: a refusal is not counted.
func (l *Loop) TryTake() bool {
	if !l.plant.sem.TryAcquire() {
		return false
	}
	if !l.plant.awake.Load() {
		l.gov.wake()
	}
	return true
}

// Release gives a permit back and counts a unit as done.
func (l *Loop) Release() { l.plant.sem.Release() }

// Cancel gives a permit back and counts nothing.
func (l *Loop) Cancel() { l.plant.sem.Cancel() }

// SetLimit fixes the limit at n.
func (l *Loop) SetLimit(n int) { l.gov.setManual(n) }

// Auto hands the limit back to the controller.
func (l *Loop) Auto() { l.gov.setManual(0) }

// Limit returns the limit in force.
func (l *Loop) Limit() int { return l.plant.sem.Limit() }

// Waiting returns how many callers wait for a permit.
func (l *Loop) Waiting() int { return l.plant.sem.Counters().Waiting }

// Clock returns the time since the loop began.
func (l *Loop) Clock() time.Duration { return l.plant.clock() }

// Awake reports whether the governor ticks.
func (l *Loop) Awake() bool {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	return l.plant.awake.Load()
}

// Retire ends the ticks of a Loop whose call is over. When it returns, no
// timer is armed, and no tick runs or will. Nothing may be in flight or come
// meanwhile. A permit taken later wakes the governor again.
func (l *Loop) Retire() { l.gov.retire() }
