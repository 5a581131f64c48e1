package sweetspot_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// TestGroupLimiterShared: two groups and a caller of Do share one limit, and the
// functions are units of it.
func TestGroupLimiterShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooMuch := errors.New("too much")
		l := setTo(governed(law(keep), sweetspot.Classify(func(err error) sweetspot.Outcome {
			switch err {
			case nil:
				return sweetspot.Done
			case tooMuch:
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		})), 3)
		var a, b sweetspot.Group
		a.SetLimiter(l)
		b.SetLimiter(l)
		b.SetLimit(1)
		var all, ofB gauge
		work := func() { all.enter(); time.Sleep(time.Second); all.leave() }
		together(3, func(i int) {
			for k := range 10 {
				switch i {
				case 0:
					a.Go(func() error {
						work()
						if k%2 == 0 {
							return tooMuch
						}
						return nil
					})
				case 1:
					b.Go(func() error {
						ofB.enter()
						work()
						ofB.leave()
						return errStop
					})
				case 2:
					l.Do(t.Context(), func(context.Context) error { work(); return nil })
				}
			}
		})
		if a, b := a.Wait(), b.Wait(); a != tooMuch || b != errStop {
			t.Errorf("Wait: %v and %v, want %v and %v", a, b, tooMuch, errStop)
		}
		if all.most.Load() != 3 || ofB.most.Load() != 1 {
			t.Errorf("%d ran at most, %d of the second group, want 3 and 1", all.most.Load(), ofB.most.Load())
		}
		synctest.Wait()
		if s := l.Stats(); s.Completed != 15 || s.Overloads != 5 || s.Ignored != 10 {
			t.Errorf("%+v, want 15 completed, 5 overloads, 10 ignored", s)
		}
		isFree(t, l)
	})
}

// TestGroupLimiterUnits: a function's time in flight is measured.
func TestGroupLimiterUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := setTo(governed(c), 2)
		g, ctx := sweetspot.NewGroup(t.Context())
		g.SetLimiter(l)
		for range 5 {
			g.Go(func() error { time.Sleep(time.Second); return nil })
			if err := g.GoContext(ctx, func(context.Context) error { time.Sleep(time.Second); return nil }); err != nil {
				t.Error(err)
			}
		}
		g.Wait()
		rests(t, l)
		if r := c.last(); r.Completed != 10 || r.Timed != 10 || !near(r.Residence, 10) {
			t.Errorf("%d completed, %d timed, %v s, want 10, 10 and 10 s", r.Completed, r.Timed, r.Residence)
		}
	})
}

// TestGroupLimiterNoPermit: who gets no permit gives the slot of the group back.
func TestGroupLimiterNoPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		take(t, l, 1)
		g, ctx := sweetspot.NewGroup(t.Context())
		g.SetLimit(1)
		g.SetLimiter(l)
		if g.TryGo(func() error { t.Error("called"); return nil }) {
			t.Error("TryGo without a permit = true")
		}
		soon, stop := context.WithTimeoutCause(ctx, time.Second, errStop)
		defer stop()
		waits := make(chan error)
		go func() {
			waits <- g.GoContext(soon, func(context.Context) error { t.Error("called"); return nil })
		}()
		synctest.Wait()
		// It has the slot, so this one waits for the slot.
		waitsToo := make(chan error)
		go func() {
			waitsToo <- g.GoContext(soon, func(context.Context) error { t.Error("called"); return nil })
		}()
		synctest.Wait()
		// And so does this one, which is served without a Limiter.
		g.SetLimiter(nil)
		synctest.Wait()
		called := false
		go g.Go(func() error { called = true; return nil })
		for _, c := range []chan error{waits, waitsToo} {
			if err := <-c; err != errStop {
				t.Errorf("GoContext: %v, want %v", err, errStop)
			}
		}
		synctest.Wait()
		if !called {
			t.Error("the slot was lost")
		}
		g.Wait()
		l.Release()
		isFree(t, l)
	})
}

// TestGroupLimiterStops: with the context of the group nothing starts after an
// error, although the function that fails gives a permit back.
func TestGroupLimiterStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			l := setTo(governed(law(keep)), 1)
			g, ctx := sweetspot.NewGroup(t.Context())
			g.SetLimiter(l)
			g.Go(func() error { time.Sleep(time.Second); return errStop })
			for range 2 {
				if err := g.GoContext(ctx, func(context.Context) error { t.Error("called"); return nil }); err != errStop {
					t.Errorf("GoContext: %v, want %v", err, errStop)
				}
			}
			g.Wait()
			isFree(t, l)
		}
	})
}

// TestGroupLimiterNested: calls inside a function need no second permit as long
// as they have its context.
func TestGroupLimiterNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		var kept context.Context
		var order []string
		g, ctx := sweetspot.NewGroup(t.Context())
		g.SetLimiter(l)
		g.GoContext(ctx, func(ctx context.Context) error {
			kept = ctx
			if err := l.Do(ctx, func(context.Context) error { order = append(order, "Do"); return nil }); err != nil {
				t.Error(err)
			}
			inner, ctx := sweetspot.NewGroup(ctx)
			inner.SetLimiter(l)
			for _, name := range []string{"a", "b"} {
				if err := inner.GoContext(ctx, func(ctx context.Context) error {
					time.Sleep(time.Second)
					order = append(order, name)
					return inner.GoContext(ctx, func(context.Context) error {
						order = append(order, name+name)
						return errors.New(name)
					})
				}); (err == nil) != (name == "a") {
					t.Errorf("GoContext of %s: %v", name, err)
				}
			}
			return inner.Wait()
		})
		if err := g.Wait(); err == nil || err.Error() != "a" {
			t.Errorf("Wait: %v, want a", err)
		}
		if want := []string{"Do", "a", "aa"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		synctest.Wait()
		if s := l.Stats(); s.Completed+s.Ignored != 1 {
			t.Errorf("%+v, want one unit for all of it", s)
		}

		// The function has returned: its context carries nothing any more.
		take(t, l, 1)
		kept, stop := context.WithTimeoutCause(context.WithoutCancel(kept), time.Second, errStop)
		defer stop()
		if err := g.GoContext(kept, func(context.Context) error { t.Error("called"); return nil }); err != errStop {
			t.Errorf("after the function has returned: %v, want %v", err, errStop)
		}
		l.Release()
		g.Wait()
		isFree(t, l)
	})
}

// TestGroupLimiterNestedPanic: a function that GoContext calls itself panics in
// its caller.
func TestGroupLimiterNestedPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		var g sweetspot.Group
		g.SetLimit(1)
		g.SetLimiter(l)
		l.Do(t.Context(), func(ctx context.Context) error {
			for range 2 {
				if got := refuse(func() {
					g.GoContext(ctx, func(context.Context) error { panic("boom") })
				}); got != "boom" {
					t.Errorf("panic %v, want boom", got)
				}
			}
			return nil
		})
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		isFree(t, l)
	})
}
