package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

var errStop = errors.New("stop")

// TestExact: the units in flight reach the limit and never exceed it.
func TestExact(t *testing.T) {
	for _, n := range []int{1, 3, 5} {
		t.Run(fmt.Sprint("limit=", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const units, lasts = 30, 10 * time.Millisecond
				l := setTo(governed(law(keep)), n)
				var g gauge
				began := time.Now()
				together(units, func(int) {
					if err := l.Acquire(t.Context()); err != nil {
						t.Error(err)
						return
					}
					g.enter()
					time.Sleep(lasts)
					g.leave()
					l.Release()
				})
				if got := g.most.Load(); got != int64(n) {
					t.Errorf("%d in flight at most, want %d", got, n)
				}
				if got, want := time.Since(began), units/time.Duration(n)*lasts; got != want {
					t.Errorf("took %v, want %v", got, want)
				}
				isFree(t, l)
				rests(t, l)
			})
		})
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		take(t, l, 1)
		var served []int
		for i := range 20 {
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				served = append(served, i)
				l.Release()
			}()
			synctest.Wait()
		}
		if l.TryAcquire() {
			t.Error("TryAcquire overtook those who wait")
		}
		l.Release()
		synctest.Wait()
		if len(served) != 20 || !slices.IsSorted(served) {
			t.Errorf("served in the order %v", served)
		}
		isFree(t, l)
	})
}

func TestAcquireCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		take(t, l, 1)
		result := make(chan error, 1)
		go func() { result <- l.Acquire(ctx) }()
		synctest.Wait()
		cancel(errStop)
		if err := <-result; err != errStop {
			t.Errorf("Acquire = %v, want the cause", err)
		}
		l.Release()
		if err := l.Acquire(ctx); err != errStop {
			t.Errorf("Acquire of a context that is done = %v, want the cause", err)
		}
		isFree(t, l)
	})
}

func TestSetLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 2)
		var g gauge
		leave := make(chan struct{})
		for range 10 {
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				g.enter()
				<-leave
				g.leave()
				l.Release()
			}()
		}
		in := func(want int64, when string) {
			t.Helper()
			synctest.Wait()
			if got := g.now.Load(); got != want {
				t.Errorf("%s: %d in flight, want %d", when, got, want)
			}
		}
		in(2, "at first")
		l.SetLimit(5)
		in(5, "raised to 5")
		l.SetLimit(1)
		in(5, "lowered to 1")
		for want := int64(4); want >= 1; want-- {
			leave <- struct{}{}
			in(want, "while those beyond leave")
		}
		leave <- struct{}{}
		in(1, "at the lower limit")
		l.SetLimit(100)
		in(5, "with all the rest admitted")
		close(leave)
		synctest.Wait()
		isFree(t, l)
	})
}

func TestMisuse(t *testing.T) {
	const noRelease, noCancel = "limit: Release without Acquire", "limit: Cancel without Acquire"
	for name, c := range map[string]struct {
		f    func(l *sweetspot.Limiter)
		want string
	}{
		"Release":      {func(l *sweetspot.Limiter) { l.Release() }, noRelease},
		"Ignored":      {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Ignored, 1) }, noCancel},
		"Overloaded":   {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Overloaded, 1) }, noCancel},
		"no outcome":   {func(l *sweetspot.Limiter) { l.Unit().End(3, 1) }, "sweetspot: Unit.End: outcome 3: want Done, Ignored or Overloaded"},
		"weighted":     {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Done, 7) }, noRelease},
		"no weight":    {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Done, 0) }, noRelease},
		"End":          {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Done, 1) }, noRelease},
		"End weight":   {func(l *sweetspot.Limiter) { l.Unit().End(sweetspot.Done, -1) }, "sweetspot: Unit.End: weight -1: want 0 or more"},
		"zero Unit":    {func(*sweetspot.Limiter) { sweetspot.Unit{}.End(sweetspot.Done, 1) }, "sweetspot: Unit.End: the Unit was not made by Begin"},
		"SetLimit":     {func(l *sweetspot.Limiter) { l.SetLimit(-1) }, "sweetspot: SetLimit(-1): want a number from 1 to 4194304"},
		"SetLimit max": {func(l *sweetspot.Limiter) { l.SetLimit(1<<22 + 1) }, "sweetspot: SetLimit(4194305): want a number from 1 to 4194304"},
		"SetLimit(0)":  {func(l *sweetspot.Limiter) { l.SetLimit(0) }, "sweetspot: SetLimit(0): want a number from 1 to 4194304; Auto hands the limit back to the law"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c0 := &recorder{law: keep}
				l := governed(c0, sweetspot.Start(3))
				if got := refuse(func() { c.f(l) }); got != c.want {
					t.Errorf("panics with %v, want %q", got, c.want)
				}
				isFree(t, l)
				// Nothing of it was counted.
				take(t, l, 1)
				pause(30 * time.Millisecond)
				if r := c0.last(); r.Completed != 0 || r.Units != 0 || r.Timed != 0 || r.Overloads != 0 {
					t.Errorf("the law is told %+v", r)
				}
				l.Release()
				rests(t, l)
			})
		})
	}
}

func TestName(t *testing.T) {
	if got := sweetspot.New(sweetspot.Name("images")).Name(); got != "images" {
		t.Errorf("Name() = %q", got)
	}
}
