package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
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
		l := governed(law(keep), sweetspot.Fixed(1), sweetspot.Classify(func(err error) sweetspot.Outcome {
			switch err {
			case nil:
				return sweetspot.Done
			case errFull:
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		}))
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
	l := governed(law(keep), sweetspot.Fixed(1))
	l.Do(t.Context(), func(context.Context) error { return nil })
	l.Do(t.Context(), func(context.Context) error { return errStop })
	if s := l.Stats(); s.Completed != 1 || s.Ignored != 1 {
		t.Errorf("got %+v, want an error to be ignored", s)
	}
}

func TestDoCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(keep), sweetspot.Fixed(1))
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
		a, b := governed(law(keep), sweetspot.Fixed(1)), governed(law(keep), sweetspot.Fixed(1))
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
		l := governed(law(keep), sweetspot.Fixed(1))
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
		l := governed(law(keep), sweetspot.Fixed(1))
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
		l := governed(law(keep), sweetspot.Fixed(1))
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
	l := governed(law(keep), sweetspot.Fixed(1), sweetspot.Classify(func(error) sweetspot.Outcome { return 9 }))
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

// TestTimed: Do and Begin tell the law how long units were in flight; only
// those that are Done, and apart those that began since the limit changed.
func TestTimed(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := governed(c, sweetspot.Fixed(10))
		lasts := func(d time.Duration, o sweetspot.Outcome) {
			take(t, l, 1)
			u := l.Begin()
			pause(d)
			u.End(o, 1)
		}
		check := func(timed int64, sum, squares float64, since int64, sumSince float64) {
			t.Helper()
			pause(15 * time.Millisecond) // the longest tick is 13 ms
			r := c.last()
			if r.Timed != timed || !near(r.Residence, sum) || !near(r.Residence2, squares) ||
				r.TimedSince != since || !near(r.ResidenceSince, sumSince) {
				t.Errorf("the law is told %+v, want %d timed, %v s, %v s², since the change %d, %v s",
					r, timed, sum, squares, since, sumSince)
			}
		}
		take(t, l, 1) // keeps it awake
		lasts(100*time.Millisecond, sweetspot.Done)
		l.Do(t.Context(), func(context.Context) error { time.Sleep(300 * time.Millisecond); return nil })
		check(2, 0.4, 0.1, 2, 0.4)
		lasts(time.Second, sweetspot.Ignored)
		lasts(time.Second, sweetspot.Overloaded)
		l.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second); return errStop })
		check(2, 0.4, 0.1, 2, 0.4)

		take(t, l, 1)
		across := l.Begin()
		pause(100 * time.Millisecond)
		l.SetLimit(9)
		pause(100 * time.Millisecond)
		across.End(sweetspot.Done, 1) // began before
		check(3, 0.6, 0.14, 0, 0)
		lasts(200*time.Millisecond, sweetspot.Done)
		check(4, 0.8, 0.18, 1, 0.2)
		l.SetLimit(9) // no change
		check(4, 0.8, 0.18, 1, 0.2)
		l.Release()
	})
}

// TestWeights: the law is told the sum of the weights, which never falls.
func TestWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := governed(c, sweetspot.Fixed(10))
		take(t, l, 8)
		l.ReleaseUnits(100)
		l.ReleaseUnits(0)
		l.ReleaseUnits(1)
		l.Begin().End(sweetspot.Done, 1000)
		l.Begin().End(sweetspot.Ignored, 1000)
		l.Release()
		l.ReleaseAs(sweetspot.Done)
		pause(30 * time.Millisecond)
		if r := c.last(); r.Completed != 6 || r.Units != 1103 {
			t.Errorf("%d units of weight %v, want 6 of 1103", r.Completed, r.Units)
		}
		l.Release()
		rests(t, l)
	})
}

// TestWeightsAreBounded: a weight that a peer has made up neither turns the sum back nor
// hides the units after it.
func TestWeightsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: keep}
		l := governed(c, sweetspot.Fixed(10))
		take(t, l, 6)
		l.ReleaseUnits(math.MaxInt)
		l.ReleaseUnits(math.MaxInt)
		l.Begin().End(sweetspot.Done, math.MaxInt)
		pause(30 * time.Millisecond)
		before := c.last()
		l.ReleaseUnits(1)
		l.ReleaseUnits(2)
		pause(30 * time.Millisecond)
		if r := c.last(); before.Units != 3<<40 || r.Units != 3<<40+3 {
			t.Errorf("three huge units weigh %v, and with two of weight 1 and 2 %v; want 3·2^40 and 3 more", before.Units, r.Units)
		}
		l.Weigh(math.MaxInt64 - 4<<40) // as if of eight million such units
		pause(30 * time.Millisecond)
		before = c.last()
		take(t, l, 2)
		l.ReleaseUnits(math.MaxInt)
		l.ReleaseUnits(math.MaxInt)
		pause(30 * time.Millisecond)
		if r := c.last(); r.Units-before.Units != 2<<40 {
			t.Errorf("where the sum wraps, two huge units weigh %v, want 2^41", r.Units-before.Units)
		}
		l.Release()
		rests(t, l)
	})
}

// TestOverload: the default law cuts the limit by 0.7 when units report too much, and
// again where that does not help.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New(sweetspot.Start(100), sweetspot.WithSensor(sensor(func(int) sense.Sample {
			return sense.Sample{CPUs: 2}
		})))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				for l.Acquire(ctx) == nil {
					time.Sleep(20 * time.Millisecond)
					l.ReleaseAs(sweetspot.Overloaded)
				}
			})
		}
		pause(time.Second)
		cancel()
		wg.Wait()
		var cuts []sweetspot.Change
		for _, c := range l.Changes() {
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
