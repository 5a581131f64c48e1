package forkjoin_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/forkjoin"
)

// A plan makes a tree of Joins from bytes. Both halves of a node draw on the
// bytes of their own, so that it is the same whichever runs first.
type plan []byte

// errPlan is what leaves panic with.
type errPlan struct{}

// serial runs p without a Joiner. Its leaves neither sleep nor fail.
func (p plan) serial() int {
	if len(p) < 2 {
		return len(p)
	}
	a, b := p.split()
	return int(p[0]) + a.serial() + b.serial()
}

func (p plan) split() (a, b plan) {
	k := 1 + int(p[0])*(len(p)-1)/256
	return p[1:k], p[k:]
}

// A planner runs plans.
type planner struct {
	now, most, failed, recovered atomic.Int64

	fail bool
}

func (r *planner) leaf(kind byte) {
	n := r.now.Add(1)
	defer r.now.Add(-1)
	for m := r.most.Load(); n > m && !r.most.CompareAndSwap(m, n); m = r.most.Load() {
	}
	time.Sleep(time.Duration(kind) * time.Microsecond)
	if !r.fail {
		return
	}
	switch kind % 64 {
	case 1:
		r.failed.Add(1)
		panic(errPlan{})
	case 2:
		r.failed.Add(1)
		runtime.Goexit()
	}
}

func (r *planner) run(j *joiner, p plan) (sum int) {
	if len(p) < 2 {
		if len(p) == 1 {
			r.leaf(p[0])
		}
		return len(p)
	}
	if p[0]%16 == 3 {
		defer func() {
			if v := recover(); v != nil {
				r.recovered.Add(1)
				a, b := join(j, r.calm, p[:1], p[:1]) // goes on joining
				sum = -a - b
			}
		}()
	}
	x, y := p.split()
	var a, b int
	switch p[0] % 4 {
	case 0:
		a, b = join(j, r.run, x, y)
	case 1:
		j.Do(func(j *joiner) { a = r.run(j, x) }, func(j *joiner) { b = r.run(j, y) })
	case 2:
		a, b = joinSerial(j, r.run, r.plain, x, y)
	default:
		type other plan // a deque of its own
		f := func(j *joiner, p other) int { return r.run(j, plan(p)) }
		a, b = join(j, f, other(x), other(y))
	}
	return int(p[0]) + a + b
}

func (r *planner) calm(_ *joiner, p plan) int { return len(p) }

func (r *planner) plain(p plan) int { return p.serial() }

// Random trees of Joins of all kinds, with leaves that wait, panic or exit, give
// what a plain recursion gives, or fail where it would, within the bound, and
// leave nothing behind.
func FuzzJoin(f *testing.F) {
	f.Add(byte(0), false, []byte{})
	f.Add(byte(1), false, []byte{128, 64, 1, 2, 3, 200, 100, 50, 7, 9})
	f.Add(byte(2), true, []byte{128, 64, 1, 2, 3, 200, 100, 50, 7, 9})
	f.Add(byte(3), true, []byte("the quick brown fox jumps over the lazy dog, and so on and on"))
	f.Add(byte(9), false, []byte("the quick brown fox jumps over the lazy dog, and so on and on"))
	f.Fuzz(func(t *testing.T, how byte, fail bool, bytes []byte) {
		if len(bytes) > 2_000 {
			return
		}
		if how&16 != 0 {
			forkjoin.Forget()
		}
		synctest.Test(t, func(t *testing.T) {
			n := int(how%8) + 1
			j, own := newJoiner(n), 0
			var under semaphore
			if how&8 != 0 {
				under = permits(n)
				j, own = newJoinerUnder(under), 1 // the caller's goroutine
			}
			r := &planner{fail: fail}
			for range 2 {
				r.failed.Store(0)
				r.recovered.Store(0)
				sum, returned := 0, false
				var value any
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					defer func() { value = recover() }()
					sum = r.run(j, bytes)
					returned = true
				}()
				<-gone
				if now := r.now.Load(); now != 0 {
					t.Errorf("%d leaves still run", now)
				}
				if returned && r.failed.Load() == 0 && sum != plan(bytes).serial() {
					t.Errorf("%d, want %d", sum, plan(bytes).serial())
				}
				if returned && r.failed.Load() > 0 && r.recovered.Load() == 0 {
					t.Error("a leaf failed, but that is lost")
				}
				if !returned && r.failed.Load() == 0 {
					t.Errorf("did not return (panic: %v), and no leaf failed", value)
				}
				if p, ok := value.(*panicError); ok {
					if p.Value != (errPlan{}) || len(p.Stack) == 0 {
						t.Errorf("panicError with %v and a stack of %d bytes, want what the leaf panicked with", p.Value, len(p.Stack))
					}
				} else if value != nil && value != (errPlan{}) {
					t.Errorf("recovered %v, want what the leaf panicked with", value)
				}
			}
			if most := int(r.most.Load()); most > n+own {
				t.Errorf("%d leaves at a time, want at most %d", most, n+own)
			}
			if under != nil {
				if out := len(under); out != 0 {
					t.Errorf("%d permits are still out", out)
				}
			} else if free, waiting := j.Slots(); free != n-1 || waiting {
				t.Errorf("%d slots are free, a goroutine waits: %t; want %d, false", free, waiting, n-1)
			}
		})
	})
}
