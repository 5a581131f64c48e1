package sweetspot_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Join itself is tested in internal/forkjoin. These are the tests of what the
// package adds: permits of a Limiter, PanicErrors, Do, and misuse.

// sleepers runs a Join of n leaves of a second each, counted by g.
func sleepers(t *testing.T, g *gauge, n int, opt sweetspot.MapOption) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == "Join" })
	if err := calls[i].run(t.Context(), n, func(context.Context, int) error {
		g.enter()
		defer g.leave()
		time.Sleep(time.Second)
		return nil
	}, opt); err != nil {
		t.Error(err)
	}
}

// TestJoinUnderALimiter: the caller needs no permit, and may have one; the goroutines of two
// Joins together hold no more than there are.
func TestJoinUnderALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		var inside, beside gauge
		l.Do(t.Context(), func(context.Context) error {
			sleepers(t, &inside, 64, l)
			return nil
		})
		together(2, func(int) { sleepers(t, &beside, 32, l) })
		if a, b := inside.most.Load(), beside.most.Load(); a < 2 || a > 4 || b < 3 || b > 6 {
			t.Errorf("%d leaves at a time within a unit, and %d of two callers; want up to 4 and 6", a, b)
		}
		isFree(t, l)
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
