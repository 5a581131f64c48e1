package forkjoin

import (
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A fork is a half that moved to a goroutine of its own.
type fork[J, X, R any] struct {
	f        func(*J, X) R
	x        X
	outer    *J
	j        *Joiner
	r        R
	state    atomic.Uint32
	handOver bool // the permit goes to the parent, if that waits
	returned bool
	failure  panics.Failure
	done     chan struct{} // closed at the end, if awaited
}

// The states of a fork.
const (
	forkStarting  = iota
	forkReclaimed // the parent was faster
	forkRunning
	forkAwaited // the parent waits, without a permit
	forkEnded
)

// run does the half, and reports whether the goroutine still has its permit.
func (k *fork[J, X, R]) run() (permit bool) {
	if !k.state.CompareAndSwap(forkStarting, forkRunning) {
		return true
	}
	defer k.end(&permit)
	k.j.set(monotonic())
	k.r = k.f(k.outer, k.x)
	k.returned = true
	return
}

// end hands the permit to the parent if that waits, so that it can go on at once.
func (k *fork[J, X, R]) end(permit *bool) {
	t := k.j.team
	if !k.returned {
		k.failure = panics.Caught(recover(), t.wrap)
	}
	exits := k.failure.Exited() // read before the parent can
	awaited := k.state.Swap(forkEnded) == forkAwaited
	*permit = !awaited || !k.handOver
	if awaited {
		close(k.done)
	}
	if *permit && exits {
		t.release()
	}
}

// reclaim takes the half back if it has not begun, and reports whether it did.
func (k *fork[J, X, R]) reclaim() bool {
	return k.state.CompareAndSwap(forkStarting, forkReclaimed)
}

// await waits for the end. Meanwhile another goroutine has the permit of j.
func (k *fork[J, X, R]) await(j *Joiner) {
	if !k.state.CompareAndSwap(forkRunning, forkAwaited) {
		return
	}
	if j.hasPermit {
		j.team.start(nil)
	}
	began := monotonic()
	<-k.done
	j.exclude(began)
}

// wait waits for the end, and returns, panics or exits as the half did.
func (k *fork[J, X, R]) wait(j *Joiner) R {
	k.await(j)
	k.failure.Resume()
	return k.r
}
