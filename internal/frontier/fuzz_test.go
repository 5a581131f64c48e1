package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/frontier"
	"github.com/sweetspot-go/sweetspot/internal/loop"
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
			e := expedition{rand: rand.New(rand.NewPCG(seed, 2)), n: 1 + int(n%400), limit: int(limit % 9), fate: int(fate % 6)}
			e.check(t)
		})
	})
}

// What becomes of the visit of one key.
const (
	goesWell = iota
	fails
	panics
	exits
	isCancelled
	failsAndGoesOn
)

var errBad = errors.New("bad")

// A keyError is an error with its key.
type keyError struct {
	key int
	err error
}

func (e *keyError) Error() string { return fmt.Sprint(e.key, e.err) }

// keyErrors makes them.
type keyErrors struct{}

func (keyErrors) KeyError(k int, err error) error { return &keyError{k, err} }

type expedition struct {
	rand  *rand.Rand
	n     int
	limit int // 0: a shared limiter that moves
	fate  int // of the visit of key at
	at    int
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
	want := e.reach()
	for e.at = e.rand.IntN(e.n); want[e.at] == 0; {
		e.at = e.rand.IntN(e.n)
	}
	slowRoots := time.Duration(e.rand.IntN(2)) * time.Duration(e.rand.IntN(5)) * time.Millisecond
	most, cfg := e.config(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)

	var running, peak atomic.Int64
	visits := make([]atomic.Int32, e.n)
	var returned atomic.Bool
	var err error
	var value any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		err = frontier.Walk(ctx, cfg, func(yield func(int) bool) {
			for _, k := range e.roots {
				time.Sleep(slowRoots)
				if !yield(k) {
					return
				}
			}
		}, func(_ context.Context, k int, push func(int)) error {
			now := running.Add(1)
			defer running.Add(-1)
			for m := peak.Load(); now > m && !peak.CompareAndSwap(m, now); m = peak.Load() {
			}
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
		}, keyErrors{})
		returned.Store(true)
	}()
	<-done

	if now := running.Load(); now != 0 {
		t.Fatalf("%d visits outlive the walk", now)
	}
	if got := peak.Load(); most > 0 && got > int64(most) {
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
	switch e.fate {
	case goesWell:
		if err != nil || value != nil || !returned.Load() || !whole {
			t.Fatalf("error %v, panic %v, all visited: %v", err, value, whole)
		}
	case failsAndGoesOn:
		if all, ok := err.(interface{ Unwrap() []error }); !ok || len(all.Unwrap()) != 1 || !e.isError(all.Unwrap()[0]) || !whole {
			t.Fatalf("error %v, all visited: %v", err, whole)
		}
	case fails:
		if !e.isError(err) {
			t.Fatalf("error %v", err)
		}
	case panics:
		if value != errBad {
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

// reach returns how often each key is to be visited.
func (e *expedition) reach() []int32 {
	want := make([]int32, e.n)
	stack := slices.Clone(e.roots)
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if want[k] == 0 {
			want[k] = 1
			stack = append(stack, e.next[k]...)
		}
	}
	return want
}

// config returns how to walk, and the highest limit that it allows, 0 if any.
func (e *expedition) config(t *testing.T) (most int, cfg frontier.Config) {
	cfg.Config = &call.Config{Wrap: func(value any, _ []byte) any { return value }}
	cfg.AllErrors = e.fate == failsAndGoesOn
	if e.rand.IntN(3) == 0 {
		cfg.MinChunk = 1 + e.rand.IntN(20)
	}
	switch {
	case e.limit == 8:
		return 0, cfg // automatic
	case e.limit > 0:
		cfg.Fixed = e.limit
		return e.limit, cfg
	}
	most = 1 + e.rand.IntN(6)
	l := loop.New(loop.Config{})
	l.SetLimit(most)
	cfg.Limiter = l
	for range 3 {
		after, n := time.Duration(e.rand.IntN(20_000))*time.Microsecond, 1+e.rand.IntN(6)
		most = max(most, n)
		time.AfterFunc(after, func() { l.SetLimit(n) })
	}
	t.Cleanup(func() {
		if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("the limiter has %+v after the walk", s)
		}
	})
	return most, cfg
}

// isError reports whether err is what the visit of e.at has returned.
func (e *expedition) isError(err error) bool {
	ke, ok := err.(*keyError)
	return ok && ke.key == e.at && ke.err == errBad
}
