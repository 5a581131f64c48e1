package sweetspot_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// FuzzWalk walks over a random graph whose visits and roots have random costs,
// with a random limit that moves, and perhaps a visit that fails, panics,
// cancels or exits, and compares it with what a loop would have done.
func FuzzWalk(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint16(seed*11), uint8(seed), uint8(seed/5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, limit, fate uint8) {
		synctest.Test(t, func(t *testing.T) {
			e := expedition{program: program{rand: rand.New(rand.NewPCG(seed, 2)), n: 1 + int(n%400), limit: int(limit % 9), fate: int(fate % 6)}}
			e.check(t)
		})
	})
}

type expedition struct {
	program
	roots []int
	next  [][]int
	cost  []time.Duration
	early []bool // pushes before it spends its time
}

func (e *expedition) plan() {
	r := e.rand
	degree := r.IntN(6)
	e.next = make([][]int, e.n)
	e.cost = make([]time.Duration, e.n)
	e.early = make([]bool, e.n)
	typical := []time.Duration{0, time.Microsecond, 50 * time.Microsecond, time.Millisecond}[r.IntN(4)]
	for k := range e.n {
		if k+1 < e.n && r.IntN(3) > 0 {
			e.next[k] = append(e.next[k], k+1)
		}
		for range r.IntN(degree + 1) {
			e.next[k] = append(e.next[k], r.IntN(e.n))
		}
		e.cost[k] = time.Duration(r.ExpFloat64() * float64(typical))
		if r.IntN(20) == 0 {
			e.cost[k] *= 1000
		}
		e.early[k] = r.IntN(2) == 0
	}
	e.roots = []int{0}
	for range r.IntN(3) * r.IntN(50) {
		e.roots = append(e.roots, r.IntN(e.n))
	}
}

func (e *expedition) check(t *testing.T) {
	e.plan()
	want := reach(func(k int, push func(int)) {
		for _, c := range e.next[k] {
			push(c)
		}
	}, e.n, e.roots...)
	for e.at = e.rand.IntN(e.n); want[e.at] == 0; {
		e.at = e.rand.IntN(e.n)
	}
	slowRoots := time.Duration(e.rand.IntN(2)) * time.Duration(e.rand.IntN(5)) * time.Millisecond
	most, opts := e.options(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)

	var g gauge
	visits := make(once, e.n)
	var returned atomic.Bool
	var err error
	var value any
	done := make(chan struct{})
	go func() {
		defer close(done)
		value = refuse(func() {
			err = sweetspot.Walk(ctx, func(yield func(int) bool) {
				for _, k := range e.roots {
					time.Sleep(slowRoots)
					if !yield(k) {
						return
					}
				}
			}, func(_ context.Context, k int, push func(int)) error {
				g.enter()
				defer g.leave()
				visits[k].Add(1)
				spread := func() {
					for _, c := range e.next[k] {
						push(c)
					}
				}
				if e.early[k] {
					spread()
				}
				time.Sleep(e.cost[k])
				if !e.early[k] {
					spread()
				}
				if k == e.at {
					switch e.fate {
					case fails, failsAndGoesOn:
						return errBad
					case panics:
						panic(errBad)
					case exits:
						runtime.Goexit()
					case isCancelled:
						cancel(errBad)
					}
				}
				return nil
			}, opts...)
			returned.Store(true)
		})
	}()
	<-done

	if now := g.now.Load(); now != 0 {
		t.Fatalf("%d visits outlive the walk", now)
	}
	if got := g.most.Load(); most > 0 && got > int64(most) {
		t.Fatalf("%d in flight, %d allowed", got, most)
	}
	whole := true
	for k := range visits {
		got := visits[k].Load()
		if got > want[k] {
			t.Fatalf("key %d was visited %d times, want %d", k, got, want[k])
		}
		whole = whole && got == want[k]
	}
	p, _ := value.(*sweetspot.PanicError)
	switch e.fate {
	case goesWell:
		if err != nil || value != nil || !returned.Load() || !whole {
			t.Fatalf("error %v, panic %v, all visited: %v", err, value, whole)
		}
	case failsAndGoesOn:
		var ke *sweetspot.KeyError[int]
		if !errors.As(err, &ke) || ke.Key != e.at || !whole {
			t.Fatalf("error %v, all visited: %v", err, whole)
		}
	case fails:
		var ke *sweetspot.KeyError[int]
		if !errors.As(err, &ke) || ke.Key != e.at || ke.Err != errBad {
			t.Fatalf("error %v", err)
		}
	case panics:
		if p == nil || p.Value != errBad {
			t.Fatalf("panic %v, error %v", value, err)
		}
	case exits:
		if returned.Load() || value != nil {
			t.Fatalf("returned %v, panic %v", err, value)
		}
	case isCancelled:
		if err != errBad && !(err == nil && whole) {
			t.Fatalf("error %v, all visited: %v", err, whole)
		}
	}
}
