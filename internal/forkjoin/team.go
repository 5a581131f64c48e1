package forkjoin

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// Permits bound how many goroutines run. TryTake must not block. If it returns false, the
// goroutine does both halves itself, so a refusal must not count as demand.
type Permits interface {
	TryTake() bool
	Release()
}

// A team is what the Joiners of one computation share: the permits of goroutines
// that run. A goroutine that waits for another holds none.
type team struct {
	permits Permits // nil: free counts them
	child   func(Joiner) (outer any, inner *Joiner)
	wrap    panics.Wrap
	away    sync.WaitGroup // goroutines of the team

	_    [128]byte // what follows is read by all and rarely written
	free atomic.Int64
	idle atomic.Pointer[idleSlot]
	_    [128]byte
}

// A task is a fork of any type.
type task interface {
	run() (permit bool) // whether the goroutine still has its permit
}

// An idleSlot is where one goroutine that has nothing left to do waits for more.
type idleSlot struct {
	work    task // nil sends it home
	arrived atomic.Bool
}

// idleLooks is how often an idle goroutine looks for work at most, where time does
// not pass. Otherwise it stays for as long as it takes to wake a thread: the others
// look after each serial piece, four times in that time, or twice where the CPUs
// share a core and slow each other down.
const idleLooks = 1 << 11

// closed stands where an idle goroutine would wait, once none should any more.
var closed = new(idleSlot)

func (s *idleSlot) send(r task) {
	s.work = r
	s.arrived.Store(true)
}

// spare reports whether a goroutine may be had, and whether it is awake.
func (t *team) spare() (some, awake bool) {
	awake = t.idle.Load() != nil
	return awake || t.permits != nil || t.free.Load() > 0, awake
}

// reserve takes the idle goroutine or, if there is none, a permit for a new one,
// and reports whether it got either. The caller then sends or starts the work.
func (t *team) reserve() (s *idleSlot, ok bool) {
	if s := t.idle.Load(); s != nil && t.idle.CompareAndSwap(s, nil) {
		return s, true
	}
	return nil, t.tryAcquire()
}

// start runs r, or what else there is if r is nil, in a new goroutine under a
// permit acquired before.
func (t *team) start(r task) {
	t.away.Add(1)
	go t.serve(r)
}

// launch is start for what another thread is to take. The runtime keeps the
// goroutine started last for the thread that started it; others may take it after
// they have slept for 3 µs, which with the slack of timers on Linux are 60. So one
// more is started, which has nothing to do.
func (t *team) launch(r task) {
	t.start(r)
	t.away.Add(1)
	go t.away.Done()
}

func (t *team) serve(r task) {
	defer t.away.Done()
	for {
		if r == nil {
			r = t.linger()
		}
		if r == nil {
			t.release()
			return
		}
		if !r.run() {
			return
		}
		r = nil
	}
}

// linger waits for work for a short while, and returns what it got, or nil.
func (t *team) linger() task {
	s := new(idleSlot)
	if !t.idle.CompareAndSwap(nil, s) {
		return nil
	}
	until := monotonic() + wakeTime
	for i := 0; i < idleLooks && monotonic() < until; i++ {
		if s.arrived.Load() {
			return s.work
		}
		runtime.Gosched() // others may need the CPU
	}
	if t.idle.CompareAndSwap(s, nil) {
		return nil
	}
	for !s.arrived.Load() { // another goroutine is about to send
		runtime.Gosched()
	}
	return s.work
}

// dismiss waits until no goroutine of the team is left.
func (t *team) dismiss() {
	if s := t.idle.Swap(closed); s != nil {
		s.send(nil)
	}
	t.away.Wait()
	t.idle.Store(nil)
}

func (t *team) tryAcquire() bool {
	if t.permits != nil {
		return t.permits.TryTake()
	}
	for {
		n := t.free.Load()
		if n <= 0 {
			return false
		}
		if t.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (t *team) release() {
	if t.permits != nil {
		t.permits.Release()
		return
	}
	t.free.Add(1)
}
