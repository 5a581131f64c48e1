package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sense"
)

func TestDo(t *testing.T) {
	errFull := errors.New("full")
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep), sweetspot.Classify(func(err error) sweetspot.Outcome {
			switch err {
			case nil:
				return sweetspot.Done
			case errFull:
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		})), 1)
		for _, want := range []error{nil, errStop, errFull, nil} {
			got := l.Do(t.Context(), func(context.Context) error {
				if s := l.Stats(); s.InFlight != 1 {
					t.Errorf("%d in flight inside Do", s.InFlight)
				}
				return want
			})
			if got != want {
				t.Errorf("Do = %v, want %v", got, want)
			}
		}
		if s := l.Stats(); s.Completed != 2 || s.Ignored != 1 || s.Overloads != 1 {
			t.Errorf("got %+v, want 2 done, 1 ignored, 1 overloaded", s)
		}
		isFree(t, l)
	})
}

func TestDoByDefault(t *testing.T) {
	l := setTo(governed(law(keep)), 1)
	l.Do(t.Context(), func(context.Context) error { return nil })
	l.Do(t.Context(), func(context.Context) error { return errStop })
	if s := l.Stats(); s.Completed != 1 || s.Ignored != 1 {
		t.Errorf("got %+v, want an error to be ignored", s)
	}
}

func TestDoCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		never := func(context.Context) error { t.Error("called"); return nil }
		ctx, cancel := context.WithCancelCause(t.Context())
		take(t, l, 1)
		result := make(chan error, 1)
		go func() { result <- l.Do(ctx, never) }()
		synctest.Wait()
		cancel(errStop)
		if err := <-result; err != errStop {
			t.Errorf("Do = %v, want the cause", err)
		}
		l.Release()
		if err := l.Do(ctx, never); err != errStop {
			t.Errorf("Do of a context that is done = %v, want the cause", err)
		}
		// Also where the permit is there already.
		l.Do(t.Context(), func(ctx context.Context) error {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(errStop)
			if err := l.Do(ctx, never); err != errStop {
				t.Errorf("nested Do of a context that is done = %v, want the cause", err)
			}
			return nil
		})
		isFree(t, l)
	})
}

// TestDoNested: inside Do, Do on the same Limiter runs under the same permit, on
// another one under that one's.
func TestDoNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := setTo(governed(law(keep)), 1), setTo(governed(law(keep)), 1)
		depth := 0
		var nested func(ctx context.Context) error
		nested = func(ctx context.Context) error {
			if s := a.Stats(); s.InFlight != 1 {
				t.Errorf("%d in flight at depth %d", s.InFlight, depth)
			}
			if depth++; depth == 3 {
				return b.Do(ctx, func(ctx context.Context) error {
					if s := b.Stats(); s.InFlight != 1 {
						t.Errorf("%d in flight on the other", s.InFlight)
					}
					return a.Do(ctx, func(context.Context) error { return errStop })
				})
			}
			ctx, cancel := context.WithTimeout(ctx, time.Second) // derived ones carry it too
			defer cancel()
			return a.Do(ctx, nested)
		}
		if err := a.Do(t.Context(), nested); err != errStop {
			t.Errorf("Do = %v, want the innermost error", err)
		}
		if s := a.Stats(); s.Ignored != 1 || s.Completed != 0 {
			t.Errorf("got %+v, want one unit in all", s)
		}
		isFree(t, a)
		isFree(t, b)
	})
}

// TestDoContextOutlived: what f leaves behind cannot use its permit once f has
// returned, or the limit would not hold.
func TestDoContextOutlived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		var left context.Context
		l.Do(t.Context(), func(ctx context.Context) error { left = ctx; return nil })
		take(t, l, 1)
		ran := false
		go l.Do(left, func(context.Context) error { ran = true; return nil })
		synctest.Wait()
		if ran {
			t.Error("ran beyond the limit")
		}
		l.Release()
		synctest.Wait()
		if !ran {
			t.Error("did not run with the permit free")
		}
		isFree(t, l)
	})
}

// TestDoContext: the context of f is that of the caller in everything else.
func TestDoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		l := setTo(governed(law(keep)), 1)
		ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, 7))
		err := l.Do(ctx, func(ctx context.Context) error {
			if got := ctx.Value(key{}); got != 7 {
				t.Errorf("value %v, want 7", got)
			}
			child, stop := context.WithCancel(ctx)
			defer stop()
			cancel(errStop)
			<-child.Done()
			return context.Cause(child)
		})
		if err != errStop {
			t.Errorf("cause %v, want that of the caller's context", err)
		}
	})
}

// TestDoAbandoned: panic and Goexit give the permit back, as Ignored.
func TestDoAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 1)
		do := func(f func()) {
			l.Do(t.Context(), func(context.Context) error { f(); return nil })
		}
		if got := refuse(func() { do(func() { panic("oops") }) }); got != "oops" {
			t.Errorf("panics with %v, want that of f", got)
		}
		together(1, func(int) { do(runtime.Goexit) })
		if s := l.Stats(); s.InFlight != 0 || s.Ignored != 2 || s.Completed != 0 {
			t.Errorf("got %+v, want two ignored", s)
		}
		isFree(t, l)
	})
}

// TestClassifyNonsense: a function that judges wrongly does not cost a permit.
func TestClassifyNonsense(t *testing.T) {
	l := setTo(governed(law(keep), sweetspot.Classify(func(error) sweetspot.Outcome { return 9 })), 1)
	const want = "sweetspot: the function of Classify returned 9: want Done, Ignored or Overloaded"
	got := refuse(func() { l.Do(t.Context(), func(context.Context) error { return nil }) })
	if got != want {
		t.Errorf("panics with %v, want %q", got, want)
	}
	isFree(t, l)
	for name, call := range map[string]func(){
		"ForEach": func() {
			sweetspot.ForEach(t.Context(), numbers(2), func(context.Context, int) error { return errBad }, l)
		},
		"MapSeq": func() {
			for range sweetspot.MapSeq(t.Context(), slices.Values(numbers(2)), func(context.Context, int) (int, error) { return 0, errBad }, l) {
			}
		},
	} {
		var p *sweetspot.PanicError
		if err, _ := refuse(call).(error); !errors.As(err, &p) || p.Value != want {
			t.Errorf("%s panics with %v, want %q", name, err, want)
		}
		isFree(t, l)
	}
}

// TestWeights: the law is told the sum of the weights, which never falls.
func TestWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := setTo(governed(c), 10)
		take(t, l, 3)
		for _, weight := range []int{100, 0, 1, 1000} {
			u, err := l.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			u.End(sweetspot.Done, weight)
		}
		if u, ok := l.TryBegin(); ok {
			u.End(sweetspot.Ignored, 1000)
		}
		l.Release()
		l.Release()
		pause(30 * time.Millisecond)
		if r := c.last(); r.Completed != 6 || r.Units != 1103 {
			t.Errorf("%d units of weight %v, want 6 of 1103", r.Completed, r.Units)
		}
		l.Release()
		rests(t, l)
	})
}

// TestOverload: the default law cuts the limit by 0.7 when units report too much, and
// again where that does not help.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New(sweetspot.Start(100), sweetspot.Sensor(sensor(func(int) sense.Sample {
			return sense.Sample{CPUs: 2}
		})))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				for u, err := l.Begin(ctx); err == nil; u, err = l.Begin(ctx) {
					time.Sleep(20 * time.Millisecond)
					u.End(sweetspot.Overloaded, 1)
				}
			})
		}
		pause(time.Second)
		cancel()
		wg.Wait()
		var cuts []sweetspot.Decision
		for _, c := range l.Decisions() {
			if c.Reason.Kind == control.Overloaded {
				cuts = append(cuts, c)
			}
		}
		if len(cuts) < 2 || cuts[0].From != 100 || cuts[0].To != 70 || cuts[1].To >= 70 {
			t.Errorf("cuts %v, want one from 100 to 70 and another", cuts)
		}
		rests(t, l)
	})
}

func ExampleLimiter_Holds() {
	l := sweetspot.New()
	ctx := context.Background()
	fmt.Println(l.Holds(ctx))
	l.Do(ctx, func(inside context.Context) error {
		fmt.Println(l.Holds(inside), sweetspot.New().Holds(inside))
		ctx = inside
		return nil
	})
	fmt.Println(l.Holds(ctx)) // what it carried is given back
	sweetspot.ForEach(context.Background(), []int{1}, func(inside context.Context, _ int) error {
		fmt.Println(l.Holds(inside))
		return nil
	}, l)
	// Output:
	// false
	// true false
	// false
	// true
}

// TestNoAllocation: permits and units without waiting allocate nothing, Do its context.
func TestNoAllocation(t *testing.T) {
	l := setTo(governed(law(keep)), 4)
	take(t, l, 1) // keeps it awake: waking makes a timer
	ctx, do := t.Context(), func(context.Context) error { return nil }
	for name, c := range map[string]struct {
		f    func()
		most float64
	}{
		"Acquire":    {func() { l.Acquire(ctx); l.Release() }, 0},
		"TryAcquire": {func() { l.TryAcquire(); l.Release() }, 0},
		"Begin": {func() {
			if u, err := l.Begin(ctx); err == nil {
				u.Restart().End(sweetspot.Done, 7)
			}
		}, 0},
		"TryBegin": {func() {
			if u, ok := l.TryBegin(); ok {
				u.End(sweetspot.Overloaded, 1)
			}
		}, 0},
		"Do": {func() { l.Do(ctx, do) }, 1},
	} {
		if n := testing.AllocsPerRun(1000, c.f); n > c.most {
			t.Errorf("%s allocates %v times, want %v", name, n, c.most)
		}
	}
	l.Release()
}
