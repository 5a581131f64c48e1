package run

import (
	"sync"
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

	woken       atomic.Bool  // a round is to come
	suspensions atomic.Int64 // so far

	mu     sync.Mutex // of a round
	closed bool
}

// newBrake lets children start jobs on credit.
func newBrake(children *sense.Children, procs *process.Set, ends func(pid int) bool) *brake {
	b := &brake{look: children.Suspend, procs: procs, ends: ends}
	children.Lend(b.wake)
	return b
}

// wake has a round come soon. It does not wait for one.
func (b *brake) wake() {
	if !b.woken.Swap(true) {
		time.AfterFunc(sense.SuspendEvery, b.round)
	}
}

// round suspends and resumes jobs, and sees to it that another round comes if one is needed.
func (b *brake) round() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.woken.Store(false)
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
	if again {
		b.wake()
	}
}

// close ends the rounds.
func (b *brake) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// count returns how many times a job has been suspended. A nil brake has suspended none.
func (b *brake) count() int64 {
	if b == nil {
		return 0
	}
	return b.suspensions.Load()
}
