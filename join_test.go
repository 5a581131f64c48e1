package sweetspot_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Join itself is tested in internal/forkjoin. These are the tests of what the
// package adds: permits of a Limiter, PanicErrors, Do, and misuse.

// sleepers returns a function that divides n into halves and sleeps a second for
// each leaf, and the most that ran at a time.
func sleepers() (f func(*sweetspot.Joiner, int) int, most *atomic.Int64) {
	var now atomic.Int64
	most = new(atomic.Int64)
	f = func(j *sweetspot.Joiner, n int) int {
		if n == 1 {
			k := now.Add(1)
			for m := most.Load(); k > m && !most.CompareAndSwap(m, k); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return 1
		}
		a, b := sweetspot.Join(j, f, n/2, n-n/2)
		return a + b
	}
	return f, most
}

func TestJoinUnderALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 3)
		j := sweetspot.NewJoiner(l)
		f, most := sleepers()
		err := l.Do(t.Context(), func(context.Context) error {
			f(j, 64)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if got := most.Load(); got != 3 {
			t.Errorf("%d leaves at a time, want 3: the caller's permit and two more", got)
		}

		l.SetLimit(6)
		most.Store(0)
		f(j, 64)
		if got := most.Load(); got != 7 {
			t.Errorf("%d leaves at a time, want 7: the caller without a permit, and six more", got)
		}
		if got := l.Stats().InFlight; got != 0 {
			t.Errorf("%d permits are still out", got)
		}
	})
}

// Two Joiners that share a Limiter stay within it together.
func TestJoinersShareALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		f, most := sleepers()
		done := make(chan int)
		for range 2 {
			go func() { done <- f(sweetspot.NewJoiner(l), 32) }()
		}
		if a, b := <-done, <-done; a != 32 || b != 32 {
			t.Errorf("%d and %d leaves, want 32 each", a, b)
		}
		if got := most.Load(); got != 6 {
			t.Errorf("%d leaves at a time, want 6: two callers and four permits", got)
		}
		if got := l.Stats().InFlight; got != 0 {
			t.Errorf("%d permits are still out", got)
		}
	})
}

func TestJoinerDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := sweetspot.NewJoiner(sweetspot.Fixed(4))
		var leaves atomic.Int64
		leaf := func(*sweetspot.Joiner) {
			time.Sleep(time.Second)
			leaves.Add(1)
		}
		two := func(j *sweetspot.Joiner) { j.Do(leaf, leaf) }
		began := time.Now()
		j.Do(two, two)
		if got, took := leaves.Load(), time.Since(began); got != 4 || took != time.Second {
			t.Errorf("%d leaves of a second in %v, want 4 in 1s", got, took)
		}
	})
}

// A panic in the goroutine of the caller passes as it is, one in another goroutine
// as a PanicError with its stack. After either, or a Goexit, no permit is held.
func TestJoinFailures(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		first bool // fails in the goroutine of the caller
		fail  func()
	}{
		{"panic here", true, func() { panic(boom) }},
		{"panic there", false, func() { panic(boom) }},
		{"Goexit here", true, runtime.Goexit},
		{"Goexit there", false, runtime.Goexit},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 3)
				j := sweetspot.NewJoiner(l)
				var value any
				returned, gone := false, make(chan struct{})
				go func() {
					defer close(gone)
					defer func() { value = recover() }()
					half := func(fails bool) func(*sweetspot.Joiner) {
						return func(*sweetspot.Joiner) {
							time.Sleep(time.Second)
							if fails {
								c.fail()
							}
						}
					}
					j.Do(half(c.first), half(!c.first))
					returned = true
				}()
				<-gone
				wrapped, isWrapped := value.(*sweetspot.PanicError)
				switch {
				case returned:
					t.Error("Do returned")
				case strings.HasPrefix(c.name, "Goexit"):
					if value != nil {
						t.Errorf("recovered %v after a Goexit", value)
					}
				case c.first:
					if value != boom {
						t.Errorf("recovered %v, want %v", value, boom)
					}
				case !isWrapped || wrapped.Value != boom || !strings.Contains(string(wrapped.Stack), "TestJoinFailures"):
					t.Errorf("recovered %v, want a PanicError with %v and its stack", value, boom)
				}
				if got := l.Stats().InFlight; got != 0 {
					t.Errorf("%d permits are still out", got)
				}
			})
		})
	}
}
