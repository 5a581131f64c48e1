package schedule

import "slices"

// A Uint64 stands for that of sync/atomic.
type Uint64 struct {
	value uint64
	known bool
}

func (u *Uint64) step() {
	share(u, &u.known)
	step()
}

func (u *Uint64) state() uint64 { return u.value }

// share takes note that v is shared, unless that is known.
func share(v interface{ state() uint64 }, known *bool) {
	if now == nil {
		touched++
	} else if !*known {
		*known = true
		now.shared = append(now.shared, v)
	}
}

func (u *Uint64) Load() uint64 {
	u.step()
	Saw(u.value)
	return u.value
}

func (u *Uint64) Store(v uint64) {
	u.step()
	u.value = v
}

func (u *Uint64) Add(v uint64) uint64 {
	u.step()
	u.value += v
	Saw(u.value)
	return u.value
}

func (u *Uint64) And(v uint64) (old uint64) {
	u.step()
	old = u.value
	u.value &= v
	Saw(old)
	return old
}

func (u *Uint64) CompareAndSwap(old, new uint64) bool {
	u.step()
	if u.value != old {
		Saw(0)
		return false
	}
	Saw(1)
	u.value = new
	return true
}

// A Pointer stands for that of sync/atomic. A T can say what tells it from other Ts, also in
// another run.
type Pointer[T interface{ Name() uint64 }] struct {
	value *T
	known bool
}

func (p *Pointer[T]) state() uint64 {
	if p.value == nil {
		return 0
	}
	return (*p.value).Name()
}

func (p *Pointer[T]) Store(v *T) {
	share(p, &p.known)
	step()
	p.value = v
}

func (p *Pointer[T]) Swap(v *T) (old *T) {
	share(p, &p.known)
	step()
	Saw(p.state())
	old, p.value = p.value, v
	return old
}

// A Mutex stands for that of sync. Nobody can tell whether others took their steps before
// a Lock or between it and the step that follows, nor whether they did before an Unlock or
// after it: so the first is taken together with the step that follows, and the second with
// the one before (Lipton, "Reduction: a method of proving properties of parallel
// programs", 1975).
type Mutex struct{ held bool }

func (m *Mutex) Lock() {
	step(func() bool { return !m.held })
	m.held = true
	if t := running(); t != nil {
		Saw(now.program.Guarded())
		t.joined = true
	}
}

func (m *Mutex) Unlock() {
	m.held = false
	if t := running(); t != nil {
		t.joined = false
	}
}

// Make stands for make(chan struct{}, 1).
func Make() chan struct{} {
	ch := make(chan struct{}, 1)
	if t := running(); t != nil {
		t.chans = append(t.chans, ch)
	}
	return ch
}

// Owner returns who has made ch, and how many channels it made before, in one number.
func Owner(ch chan struct{}) uint64 {
	for i, t := range now.threads {
		if k := slices.Index(t.chans, ch); k >= 0 {
			return uint64(i<<16 + k + 1)
		}
	}
	return 0
}

// Send stands for ch <- struct{}{} where there is room.
func Send(ch chan<- struct{}) {
	step()
	select {
	case ch <- struct{}{}:
	default:
		panic("a send that would block")
	}
}

// Recv stands for <-ch.
func Recv(ch <-chan struct{}) {
	park()
	step(func() bool { return len(ch) > 0 })
	<-ch
}

// Select stands for a select of two receives, and returns which was chosen. If both can
// be, both are tried.
func Select(a, b <-chan struct{}) int {
	park()
	chosen := step(func() bool { return len(a) > 0 }, func() bool { return len(b) > 0 || closed(b) })
	if chosen == 0 {
		<-a
	}
	return chosen
}

// Len stands for len(ch).
func Len(ch chan struct{}) int {
	step()
	Saw(uint64(len(ch)))
	return len(ch)
}

func park() {
	if t := running(); t != nil {
		t.parks = true
	}
}

func closed(ch <-chan struct{}) bool {
	select {
	case _, ok := <-ch:
		return !ok
	default:
		return false
	}
}
