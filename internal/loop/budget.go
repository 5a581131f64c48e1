package loop

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// A budget bounds the sum of the weights of the units in flight, first come, first
// served: while one waits, no later one overtakes it, so large ones do not starve.
//
// A unit takes its permit first and its weight second, and no unit that has a weight
// waits for either. So nobody waits in a circle. To the controller a budget is a
// bottleneck like any other: more units in flight then do no more.
type budget struct {
	most int64 // 0 if there is none

	mu    sync.Mutex
	used  int64
	queue list.List // of *claim
}

type claim struct {
	weight int64
	fits   chan struct{} // closed when it has it
}

// share returns what a unit of that weight takes: all, if it is heavier than that, since
// it would never run otherwise.
func (b *budget) share(weight int64) int64 {
	if weight < 0 {
		panic(fmt.Sprintf("sweetspot: weight %d: want 0 or more", weight))
	}
	return min(weight, b.most)
}

// take waits for a share, or until ctx is done; then it holds none.
func (b *budget) take(ctx context.Context, share int64) error {
	if share == 0 {
		return nil
	}
	b.mu.Lock()
	if b.queue.Len() == 0 && share <= b.most-b.used {
		b.used += share
		b.mu.Unlock()
		return nil
	}
	c := &claim{share, make(chan struct{})}
	place := b.queue.PushBack(c)
	b.mu.Unlock()

	select {
	case <-c.fits:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.fits: // it was granted first, and is kept
		return nil
	default:
	}
	b.queue.Remove(place)
	b.grant() // those behind it may fit
	return context.Cause(ctx)
}

func (b *budget) give(share int64) {
	if share == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= share
	b.grant()
}

// grant serves those who wait, as far as they fit. It holds mu.
func (b *budget) grant() {
	for e := b.queue.Front(); e != nil; e = b.queue.Front() {
		c := e.Value.(*claim)
		if c.weight > b.most-b.used {
			return
		}
		b.used += c.weight
		b.queue.Remove(e)
		close(c.fits)
	}
}

// state returns the weight in flight, and how many wait for theirs.
func (b *budget) state() (used int64, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, b.queue.Len()
}

// Budgeted reports whether the weights of units are bounded.
func (l *Loop) Budgeted() bool { return l.budget.most > 0 }

// TakeWeight waits until the budget has room for a unit of that weight, which holds a
// permit, and returns what the unit has then taken of it.
func (l *Loop) TakeWeight(ctx context.Context, weight int64) (share int64, err error) {
	share = l.budget.share(weight)
	if err := l.budget.take(ctx, share); err != nil {
		return 0, err
	}
	return share, nil
}

// GiveWeight gives back what TakeWeight returned.
func (l *Loop) GiveWeight(share int64) { l.budget.give(share) }
