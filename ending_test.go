package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Contracts of all calls on how they end before everything is done.

var errBad = errors.New("bad")

const (
	joinHasNoErrors = "its functions return no errors"
	joinHasNoCtx    = "it takes no context"
	errorsAreBare   = "it returns errors as they are, and ends with the first"
)

func TestCallsStopAtTheFirstError(t *testing.T) {
	eachCall(t, exceptions{"Join": joinHasNoErrors}, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 4} {
			var g gauge
			var failed atomic.Int64
			err := c.run(t.Context(), 1000, func(ctx context.Context, i int) error {
				g.enter()
				defer g.leave()
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					if cause := context.Cause(ctx); !errors.Is(cause, errBad) && !strings.HasPrefix(c.name, "MapSeq") {
						t.Errorf("cancelled because of %v", cause)
					}
					return ctx.Err()
				}
				if g.total.Load() >= 20 && failed.CompareAndSwap(0, int64(i)) {
					return errBad
				}
				return nil
			}, sweetspot.Fixed(limit))
			if !errors.Is(err, errBad) || c.at == nil && err != errBad || c.at != nil && c.at(err) != int(failed.Load()) {
				t.Fatalf("error %v of item %d", err, failed.Load())
			}
			if got := g.total.Load(); got > 24+int64(limit) || g.now.Load() != 0 {
				t.Errorf("%d items were begun, %d run still", got, g.now.Load())
			}
		}
	}))
}

// TestCallsReturnTheFirstErrorInTime: not that of the item that was begun first.
func TestCallsReturnTheFirstErrorInTime(t *testing.T) {
	errLate := errors.New("late")
	eachCall(t, exceptions{
		"Join":   joinHasNoErrors,
		"MapSeq": "an error comes in its place",
	}, inBubble(func(t *testing.T, c call) {
		var begun atomic.Int64
		err := c.run(t.Context(), 100, func(context.Context, int) error {
			switch begun.Add(1) {
			case 20:
				time.Sleep(10 * time.Second)
				return errLate
			case 22:
				time.Sleep(5 * time.Second)
				return errBad
			}
			time.Sleep(time.Second)
			return nil
		}, sweetspot.Fixed(4))
		if !errors.Is(err, errBad) || errors.Is(err, errLate) {
			t.Errorf("error %v", err)
		}
	}))
}

func TestCallsAllErrors(t *testing.T) {
	eachCall(t, exceptions{
		"ReduceRange": errorsAreBare, "Workers": errorsAreBare, "WorkersRange": errorsAreBare, "Pool": errorsAreBare, "Group": errorsAreBare,
		"Join": joinHasNoErrors,
	}, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 4} {
			for _, cost := range []time.Duration{0, time.Microsecond} {
				var total atomic.Int32
				err := c.run(t.Context(), 5000, func(_ context.Context, i int) error {
					total.Add(1)
					time.Sleep(cost)
					if i%1000 == 7 {
						return errBad
					}
					return nil
				}, sweetspot.AllErrors(), sweetspot.Fixed(limit))
				all, ok := err.(interface{ Unwrap() []error })
				if !ok {
					t.Fatalf("error %v", err)
				}
				var items []int
				for _, err := range all.Unwrap() {
					if items = append(items, c.at(err)); !strings.HasSuffix(err.Error(), fmt.Sprintf(" %d: bad", c.at(err))) || !errors.Is(err, errBad) {
						t.Errorf("error %v", err)
					}
				}
				if strings.HasPrefix(c.name, "Walk") || c.name == "MapSeq unordered" {
					slices.Sort(items)
				}
				if !slices.Equal(items, []int{7, 1007, 2007, 3007, 4007}) || total.Load() != 5000 {
					t.Errorf("errors of the items %v, %d were done", items, total.Load())
				}
			}
		}
	}))
}

func TestCallsAreCancelled(t *testing.T) {
	eachCall(t, exceptions{"Join": joinHasNoCtx}, inBubble(func(t *testing.T, c call) {
		for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 3), sweetspot.MinChunk(1)} {
			// before
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errStop)
			if err := c.run(ctx, 10, func(context.Context, int) error { t.Error("called"); return nil }, opt); err != errStop {
				t.Errorf("cancelled before: %v", err)
			}
			// during, by an item
			ctx, cancel = context.WithCancelCause(t.Context())
			var total atomic.Int32
			err := c.run(ctx, 1000, func(ctx context.Context, _ int) error {
				if total.Add(1) == 30 {
					cancel(errStop)
				}
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					return ctx.Err()
				}
				return nil
			}, opt)
			if err != errStop && (err != context.Canceled || c.name != "Group") || total.Load() == 1000 {
				t.Errorf("cancelled during item 30: %v after %d items", err, total.Load())
			}
			// during, by somebody else, with callbacks that do not look; a governed
			// call that remembers how items of its function waited may have had
			// all of them in flight by then
			ctx, cancel = context.WithCancelCause(t.Context())
			time.AfterFunc(2500*time.Millisecond, func() { cancel(errStop) })
			total.Store(0)
			err = c.run(ctx, 1000, func(context.Context, int) error { time.Sleep(time.Second); total.Add(1); return nil }, opt)
			if err != errStop && (err != nil || total.Load() != 1000) {
				t.Errorf("cancelled during: %v after %d items", err, total.Load())
			}
			// after
			ctx, cancel = context.WithCancelCause(t.Context())
			var inner context.Context
			if err := c.run(ctx, 1, func(ctx context.Context, _ int) error { inner = ctx; return nil }, opt); err != nil {
				t.Error(err)
			}
			if inner.Done(); inner.Err() == nil {
				t.Error("the ctx of a callback outlives the call")
			}
			cancel(errStop)
		}
	}))
}

// TestCallsTellTheirEndFromErrors: what a callback returns because its ctx has ended stands for
// the cause, and no other error does.
func TestCallsTellTheirEndFromErrors(t *testing.T) {
	eachCall(t, exceptions{
		"Join":  joinHasNoErrors,
		"Group": "Wait returns what the function returned",

		"MapSeq":           "its last pair is the cause where ctx has ended",
		"MapSeq unordered": "as for MapSeq",
	}, func(t *testing.T, c call) {
		for name, test := range map[string]struct {
			returned func(context.Context) error
			want     error
		}{
			"the end":             {context.Context.Err, errStop},
			"the end, wrapped":    {func(ctx context.Context) error { return fmt.Errorf("x: %w", ctx.Err()) }, errStop},
			"an error of its own": {func(context.Context) error { return errBad }, errBad},
		} {
			for _, opt := range []sweetspot.MapOption{sweetspot.Fixed(1), setTo(sweetspot.New(), 1)} {
				ctx, cancel := context.WithCancelCause(t.Context())
				err := c.run(ctx, 1, func(ctx context.Context, _ int) error { cancel(errStop); return test.returned(ctx) }, opt)
				if !errors.Is(err, test.want) {
					t.Errorf("%s, %T: %v, want %v", name, opt, err, test.want)
				}
			}
		}
	})
}

func TestCallsPassOnPanics(t *testing.T) {
	eachCall(t, exceptions{
		"Group": "a panic ends the program",
	}, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 4} {
			var g gauge
			value := refuse(func() {
				c.run(t.Context(), 1000, func(ctx context.Context, i int) error {
					g.enter()
					defer g.leave()
					if g.total.Load() >= 10 {
						explode()
					}
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
					return nil
				}, sweetspot.Fixed(limit))
			})
			p, ok := value.(*sweetspot.PanicError)
			if c.name == "Join" {
				ok = ok || value == errBad // that of its caller passes as it is
			} else {
				ok = ok && p.Value == errBad && strings.Contains(string(p.Stack), "explode") && errors.Is(p, errBad)
			}
			if !ok {
				t.Fatalf("recovered %v", value)
			}
			most := int64(11 + limit)
			if c.name == "Join" { // a helper takes another half before its panic has reached the caller
				most = 11 + 10*int64(limit)
			}
			if g.now.Load() != 0 || g.total.Load() > most {
				t.Errorf("%d run still, of %d begun, want at most %d", g.now.Load(), g.total.Load(), most)
			}
			// through two calls it stays one PanicError
			value = refuse(func() {
				c.run(t.Context(), 3, func(ctx context.Context, _ int) error {
					return c.run(ctx, 3, func(context.Context, int) error { explode(); return nil }, sweetspot.Fixed(limit))
				}, sweetspot.Fixed(limit))
			})
			if p, ok := value.(*sweetspot.PanicError); value != errBad && (!ok || p.Value != errBad) {
				t.Errorf("recovered %v", value)
			}
		}
	}))
}

func explode() { panic(errBad) }

func TestCallsPassOnGoexit(t *testing.T) {
	eachCall(t, exceptions{
		"Group": "a Goexit counts as nil",
	}, inBubble(func(t *testing.T, c call) {
		for _, limit := range []int{1, 4} {
			var g gauge
			returned, done := false, make(chan struct{})
			go func() {
				defer close(done)
				c.run(t.Context(), 100, func(_ context.Context, i int) error {
					g.enter()
					defer g.leave()
					time.Sleep(time.Second)
					if g.total.Load() >= 10 {
						runtime.Goexit()
					}
					return nil
				}, sweetspot.Fixed(limit))
				returned = true
			}()
			<-done
			if returned || g.now.Load() != 0 || g.total.Load() > 11+int64(limit) {
				t.Errorf("returned: %v, in flight %d of %d", returned, g.now.Load(), g.total.Load())
			}
		}
	}))
}

// A Goexit of the caller's function does not hide the panic of another one.
func TestAPanicGoesBeforeAGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sweetspot.Forget()
		var begun atomic.Int32
		var value any
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { value = recover() }()
			sweetspot.ForEach(t.Context(), numbers(2), func(context.Context, int) error {
				if begun.Add(1) == 1 { // the caller
					time.Sleep(time.Second)
					runtime.Goexit()
				}
				time.Sleep(2 * time.Second)
				panic(errBad)
			}, sweetspot.Fixed(2))
		}()
		<-done
		if p, ok := value.(*sweetspot.PanicError); !ok || p.Value != errBad {
			t.Errorf("recovered %v", value)
		}
	})
}

// An item may turn out to be long after the call has looked for the first time.
func TestCallsLookAgainUnderALimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, how := range []sweetspot.MapOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			sweetspot.Forget()
			began := time.Now()
			sweetspot.ForEach(t.Context(), []time.Duration{90 * time.Microsecond, 10 * time.Second, 10 * time.Second},
				func(_ context.Context, d time.Duration) error { time.Sleep(d); return nil }, how)
			if took := time.Since(began); took > 11*time.Second {
				t.Errorf("%T: %v", how, took)
			}
		}
	})
}
