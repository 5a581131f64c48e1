package sweetspot

import (
	"runtime"
	"sync/atomic"
)

// A fork is a half that moved to a goroutine of its own.
type fork[X, R any] struct {
	f        func(*Joiner, X) R
	x        X
	j        *Joiner
	r        R
	state    atomic.Uint32
	held     bool // who waits for it wants its slot
	returned bool
	panicked *PanicError
	done     chan struct{} // closed at the end, if awaited
}

// The states of a fork.
const (
	forkStarting  = iota
	forkReclaimed // the parent was faster
	forkRunning
	forkAwaited // the parent waits, without a slot
	forkEnded
)

// run does the half, and reports whether the slot is still the goroutine's.
func (k *fork[X, R]) run() (slot bool) {
	if !k.state.CompareAndSwap(forkStarting, forkRunning) {
		return true
	}
	defer k.end(&slot)
	k.j.jump(monotonic())
	k.r = k.f(k.j, k.x)
	k.returned = true
	return
}

// end hands the slot to the parent if that waits, so that it can go on at once.
func (k *fork[X, R]) end(slot *bool) {
	t := k.j.team
	if !k.returned {
		if v := recover(); v != nil {
			k.panicked = asPanic(v)
		}
	}
	exits := !k.returned && k.panicked == nil
	awaited := k.state.Swap(forkEnded) == forkAwaited
	*slot = !awaited || !k.held
	if awaited {
		close(k.done)
	}
	if *slot && exits {
		t.give()
	}
}

// reclaim takes the half back if it has not begun, and reports whether it did.
func (k *fork[X, R]) reclaim() bool {
	return k.state.CompareAndSwap(forkStarting, forkReclaimed)
}

// await waits for the end. Meanwhile another goroutine has the slot of j.
func (k *fork[X, R]) await(j *Joiner) {
	if !k.state.CompareAndSwap(forkRunning, forkAwaited) {
		return
	}
	if j.held {
		j.team.start(nil)
	}
	began := monotonic()
	<-k.done
	j.exclude(began)
}

// wait waits for the end, and returns, panics or exits as the half did.
func (k *fork[X, R]) wait(j *Joiner) R {
	k.await(j)
	if k.panicked != nil {
		panic(k.panicked)
	}
	if !k.returned {
		runtime.Goexit()
	}
	return k.r
}
