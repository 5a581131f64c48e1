package sweetspot

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A team is what the Joiners of one computation share: the slots for goroutines
// that run. A goroutine that waits for another holds none.
type team struct {
	limiter *Limiter // hands out the slots, if not nil
	away    sync.WaitGroup

	_    [128]byte // what follows is read by all and rarely written
	free atomic.Int64
	desk atomic.Pointer[desk]
	_    [128]byte
}

// A runner is a fork of any type.
type runner interface {
	run() (slot bool)
}

// A desk is where one goroutine that has nothing left to do asks for more.
type desk struct {
	work    runner // nil sends it home
	arrived atomic.Bool
}

// deskLooks is how often a goroutine at the desk looks at most, where time does
// not pass. Else it stays for as long as it takes to wake a thread: the others
// come by after each serial piece, four times in that time, or twice where the
// CPUs share a core and slow each other down.
const deskLooks = 1 << 11

// closedDesk is at the place of the desk when nobody should wait there any more.
var closedDesk = new(desk)

func (d *desk) send(r runner) {
	d.work = r
	d.arrived.Store(true)
}

// spare reports whether a goroutine may be had, and whether it is awake.
func (t *team) spare() (some, awake bool) {
	awake = t.desk.Load() != nil
	return awake || t.limiter != nil || t.free.Load() > 0, awake
}

// hire takes the goroutine at the desk or, if there is none, a slot for a new
// one, and reports whether it got either. The caller then sends or starts it.
func (t *team) hire() (at *desk, ok bool) {
	if d := t.desk.Load(); d != nil && t.desk.CompareAndSwap(d, nil) {
		return d, true
	}
	return nil, t.take()
}

// start runs r, or what else there is if r is nil, in a new goroutine on a slot
// taken before.
func (t *team) start(r runner) {
	t.away.Add(1)
	go t.serve(r)
}

// launch is start for what another thread is to take. The runtime keeps the
// goroutine started last for the thread that started it; others may take it after
// they have slept for 3 µs, which with the slack of timers on Linux are 60. So one
// more is started, which has nothing to do.
func (t *team) launch(r runner) {
	t.start(r)
	t.away.Add(1)
	go t.away.Done()
}

func (t *team) serve(r runner) {
	defer t.away.Done()
	for {
		if r == nil {
			r = t.linger()
		}
		if r == nil {
			t.give()
			return
		}
		if !r.run() {
			return
		}
		r = nil
	}
}

// linger waits at the desk for a short while, and returns what it got, or nil.
func (t *team) linger() runner {
	d := new(desk)
	if !t.desk.CompareAndSwap(nil, d) {
		return nil
	}
	until := monotonic() + int64(wakeCost)
	for i := 0; i < deskLooks && monotonic() < until; i++ {
		if d.arrived.Load() {
			return d.work
		}
		runtime.Gosched() // to whom else needs the CPU
	}
	if t.desk.CompareAndSwap(d, nil) {
		return nil
	}
	for !d.arrived.Load() { // somebody is about to
		runtime.Gosched()
	}
	return d.work
}

// dismiss waits until no goroutine of the team is left.
func (t *team) dismiss() {
	if d := t.desk.Swap(closedDesk); d != nil {
		d.send(nil)
	}
	t.away.Wait()
	t.desk.Store(nil)
}

func (t *team) take() bool {
	if t.limiter != nil {
		return t.limiter.tryAcquire() // without, the half is done here
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

func (t *team) give() {
	if t.limiter != nil {
		t.limiter.Release()
		return
	}
	t.free.Add(1)
}
