package run

import (
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A brake suspends jobs while memory may not suffice for all that run, see
// [sense.Children.Suspend].
type brake struct {
	look  func() (suspended, resumed []int, again bool)
	procs *process.Set
	ends  func(pid int) bool // a job was told to end, so it must be able to

	wake        chan struct{}
	suspensions atomic.Int64 // so far
	routine
}

// newBrake lets children start jobs on credit.
func newBrake(children *sense.Children, procs *process.Set, ends func(pid int) bool) *brake {
	b := &brake{
		look: children.Suspend, procs: procs, ends: ends, wake: make(chan struct{}, 1),
	}
	children.Lend(func() {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	})
	return b
}

func (b *brake) loop() {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	ticks := false
	for {
		select {
		case <-b.wake:
			if !ticks { // to reset it again and again would put the next tick off
				ticks = true
				tick.Reset(sense.SuspendEvery)
			}
		case <-tick.C:
			if ticks = b.round(); !ticks {
				tick.Stop()
			}
		case <-b.quit:
			return
		}
	}
}

// round suspends and resumes jobs, and reports whether another round is needed.
func (b *brake) round() bool {
	suspended, resumed, again := b.look()
	for _, pid := range resumed {
		b.procs.Resume(pid)
	}
	for _, pid := range suspended {
		// In each round: somebody else may have resumed the job.
		began := b.procs.Suspend(pid)
		if b.ends(pid) { // the signal may have come before
			b.procs.Resume(pid)
		} else if began {
			b.suspensions.Add(1)
		}
	}
	return again
}

// count returns how many times a job has been suspended. A nil brake has suspended none.
func (b *brake) count() int64 {
	if b == nil {
		return 0
	}
	return b.suspensions.Load()
}
