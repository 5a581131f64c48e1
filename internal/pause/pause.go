// Package pause keeps requests from being sent to where they are refused.
package pause

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// first is short against most requests over a network, and long against the
	// quickest refusals, which come in a fraction of a millisecond.
	first = 5 * time.Millisecond
	// longest bounds the pauses that nobody asked for: after that, it is tried
	// again.
	longest = time.Second
)

// A Pause is a time during which nothing is to be sent. Make it with [New].
type Pause struct {
	epoch  time.Time
	until  atomic.Int64 // its end, since epoch; 0: none
	count  atomic.Int64 // refusals
	streak atomic.Int64 // refusals in a row; see Refused
	mu     sync.Mutex
}

// New returns a Pause that is not on.
func New() *Pause { return &Pause{epoch: time.Now()} }

// Left returns how long the pause will last, 0 if it is not on. It is an atomic
// load if there was none.
func (p *Pause) Left() time.Duration {
	until := p.until.Load()
	if until == 0 {
		return 0
	}
	if d := time.Duration(until) - time.Since(p.epoch); d > 0 {
		return d
	}
	p.until.CompareAndSwap(until, 0)
	return 0
}

// Wait returns when the pause is over, or with the cause of ctx.
func (p *Pause) Wait(ctx context.Context) error {
	for {
		d := p.Left()
		if d == 0 {
			return nil
		}
		if err := Sleep(ctx, d); err != nil {
			return err
		}
	}
}

// Sleep waits for d, or returns the cause of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Refusals returns the number of refusals so far, for Refused.
func (p *Pause) Refusals() int64 { return p.count.Load() }

// Succeeded ends a row of refusals.
func (p *Pause) Succeeded() {
	if p.streak.Load() != 0 { // the line is shared, so it is not written in vain
		p.streak.Store(0)
	}
}

// Refused takes note of a refusal of a request that was sent when there had been
// seen of them. The pause is to last for after, if that was said. Otherwise it
// depends on the refusals in a row of which each was sent when the one before was
// known: those that were under way together say no more than one of them.
func (p *Pause) Refused(seen int64, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh := p.count.Load() == seen
	p.count.Add(1)
	if fresh {
		if n := p.streak.Add(1); n > 1 {
			after = max(after, min(first<<min(n-2, 10), longest))
		}
	}
	if after > 0 {
		p.until.Store(max(p.until.Load(), int64(time.Since(p.epoch)+after)))
	}
}
