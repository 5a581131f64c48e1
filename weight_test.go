package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Contracts of all calls on weights, and those of a Limiter with a Budget.

const joinHasNoWeights = "it takes neither items nor a context"

// weighs runs do as an item of that weight in a call that l governs: by WeightOf where the
// call takes that, or else by DoWeight in the callback.
func (c call) weighs(ctx context.Context, n int, weight func(i int) int64, do item, l *sweetspot.Limiter, opts ...sweetspot.MapOption) error {
	opts = append(opts, l)
	if c.at != nil {
		return c.run(ctx, n, do, append(opts, sweetspot.WeightOf(weight))...)
	}
	return c.run(ctx, n, func(ctx context.Context, i int) error {
		return l.DoWeight(ctx, weight(i), func(ctx context.Context) error { return do(ctx, i) })
	}, opts...)
}

// A scale sums up what is in flight.
type scale struct {
	gauge
	sum atomic.Int64
}

// TestCallsKeepTheBudget: what is in flight never weighs more than the budget, uses it, and
// an item that weighs more than all of it runs without another.
func TestCallsKeepTheBudget(t *testing.T) {
	eachCall(t, exceptions{"Join": joinHasNoWeights}, inBubble(func(t *testing.T, c call) {
		const n, budget = 120, 100
		weight := func(i int) int64 {
			if i%40 == 7 {
				return 1000
			}
			return int64(i * 37 % 60)
		}
		l := setTo(sweetspot.New(sweetspot.Budget(budget)), 8)
		visits := make(once, n)
		var in scale
		var most atomic.Int64
		err := c.weighs(t.Context(), n, weight, func(ctx context.Context, i int) error {
			in.enter()
			defer in.leave()
			visits[i].Add(1)
			w := min(weight(i), budget)
			sum := in.sum.Add(w)
			defer in.sum.Add(-w)
			if sum > budget {
				t.Errorf("%d in flight, beside an item of %d", sum, weight(i))
			}
			most.Store(max(most.Load(), sum))
			// A part of the item takes no more.
			return l.DoWeight(ctx, 90, func(context.Context) error { time.Sleep(time.Second); return nil })
		}, l)
		if err != nil {
			t.Fatal(err)
		}
		visits.check(t, 1)
		if most.Load() != budget || in.most.Load() < 3 {
			t.Errorf("at most %d in flight in %d items, want %d in 3 or more", most.Load(), in.most.Load(), budget)
		}
		isFree(t, l)
	}))
}

// TestItemsOfNoWeight: what an item of weight 0 does with a weight takes that.
func TestItemsOfNoWeight(t *testing.T) {
	eachCall(t, exceptions{"Join": joinHasNoWeights}, inBubble(func(t *testing.T, c call) {
		l := setTo(sweetspot.New(sweetspot.Budget(100)), 8)
		var g gauge
		err := c.weighs(t.Context(), 8, func(int) int64 { return 0 }, func(ctx context.Context, _ int) error {
			return l.DoWeight(ctx, 60, func(context.Context) error {
				g.enter()
				defer g.leave()
				time.Sleep(time.Second)
				return nil
			})
		}, l)
		if err != nil || g.most.Load() != 1 || g.total.Load() != 8 {
			t.Errorf("%v; %d of weight 60 in flight within a budget of 100, %d done", err, g.most.Load(), g.total.Load())
		}
		isFree(t, l)
	}))
}

// TestCallsEndWithinTheBudget: items that wait for their weight are not begun when the call
// ends, and nothing of the budget is lost.
func TestCallsEndWithinTheBudget(t *testing.T) {
	errGone := errors.New("gone")
	for name, end := range map[string]func(cancel context.CancelCauseFunc) error{
		"error":  func(context.CancelCauseFunc) error { return errBad },
		"cancel": func(cancel context.CancelCauseFunc) error { cancel(errGone); return nil },
		"panic":  func(context.CancelCauseFunc) error { panic(errBad) },
	} {
		t.Run(name, func(t *testing.T) {
			eachCall(t, exceptions{"Join": joinHasNoWeights}, inBubble(func(t *testing.T, c call) {
				if name == "panic" && c.name == "Group" {
					t.Skip("it crashes, as errgroup does")
				}
				for _, opts := range [][]sweetspot.MapOption{nil, {sweetspot.AllErrors()}} {
					l := setTo(sweetspot.New(sweetspot.Budget(100)), 8)
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					var begun atomic.Int64
					var err error
					panicked := refuse(func() {
						err = c.weighs(ctx, 50, func(int) int64 { return 30 }, func(ctx context.Context, i int) error {
							if begun.Add(1) == 3 {
								return end(cancel)
							}
							select {
							case <-ctx.Done():
								return context.Cause(ctx)
							case <-time.After(time.Second):
								return nil
							}
						}, l, opts...)
					})
					goesOn := name == "error" && opts != nil && c.at != nil
					switch {
					case name == "panic" && panicked == nil:
						t.Errorf("no panic, error %v", err)
					case name == "error" && !errors.Is(err, errBad), name == "cancel" && !errors.Is(err, errGone):
						t.Errorf("error %v", err)
					case begun.Load() > 8 && !goesOn || begun.Load() != 50 && goesOn && c.name != "MapSeq":
						t.Errorf("%d items were begun", begun.Load())
					}
					isFree(t, l)
				}
			}))
		})
	}
}

// TestWeightsAreThroughput: of items that are done their weights count, of others nothing.
func TestWeightsAreThroughput(t *testing.T) {
	for _, c := range calls {
		if c.at == nil {
			continue
		}
		for _, budget := range [][]sweetspot.LimiterOption{nil, {sweetspot.Budget(500)}} {
			synctest.Test(t, func(t *testing.T) {
				law := &recorder{law: keep}
				l := setTo(governed(law, budget...), 3)
				want := 0
				for i := range 100 {
					if i%10 != 3 {
						want += i
					}
				}
				c.weighs(t.Context(), 100, func(i int) int64 { return int64(i) }, func(_ context.Context, i int) error {
					time.Sleep(100 * time.Millisecond)
					if i%10 == 3 {
						return errBad
					}
					return nil
				}, l, sweetspot.AllErrors())
				time.Sleep(time.Second)
				law.mu.Lock()
				defer law.mu.Unlock()
				if got := law.readings[len(law.readings)-1].Units; got != float64(want) {
					t.Errorf("%s: throughput %v, want %v", c.name, got, want)
				}
			})
		}
	}
}

// TestBudgetIsFair: a large unit is not overtaken by small ones that come later.
func TestBudgetIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(sweetspot.Budget(100)), 50)
		var order []int64
		var mu sync.Mutex
		for i, weight := range []int64{60, 30, 100, 10, 10, 50} {
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				u, err := l.BeginWeight(t.Context(), weight)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, weight)
				mu.Unlock()
				time.Sleep(time.Duration(weight) * time.Second / 10)
				u.End(sweetspot.Done, 1)
			}()
		}
		time.Sleep(time.Second)
		if s := l.Stats(); s.Reserved != 90 || s.Reserving != 4 || s.InFlight != 6 {
			t.Errorf("with the large unit in front: %+v", s)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if got := fmt.Sprint(order); !strings.HasPrefix(got, "[60 30 100 ") || len(order) != 6 {
			t.Errorf("began in the order %s", got)
		}
		isFree(t, l)
	})
}

// TestBeginWeight: a unit that gives up holds neither its permit nor its weight.
func TestBeginWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(sweetspot.Budget(10)), 5)
		first, err := l.BeginWeight(t.Context(), 8)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errBad)
		defer cancel()
		if _, err := l.BeginWeight(ctx, 3); err != errBad {
			t.Errorf("BeginWeight = %v, want the cause", err)
		}
		ctx, cancel = context.WithTimeoutCause(t.Context(), time.Second, errBad)
		defer cancel()
		if err := l.DoWeight(ctx, 3, func(context.Context) error { t.Error("called"); return nil }); err != errBad {
			t.Errorf("DoWeight = %v, want the cause", err)
		}
		if s := l.Stats(); s.InFlight != 1 || s.Reserved != 8 || s.Completed != 0 {
			t.Errorf("with one unit in flight: %+v", s)
		}
		first.Restart().End(sweetspot.Ignored, 1)
		isFree(t, l)
	})
}

// TestWeightsOfNoUse: what is wrong is named.
func TestWeightsOfNoUse(t *testing.T) {
	l := sweetspot.New(sweetspot.Budget(1))
	ints := []int{1}
	f := func(context.Context, int) error { return nil }
	for want, f := range map[string]func(){
		"Budget(0): want 1 or more": func() { sweetspot.Budget(0) },
		"WeightOf(nil)":             func() { sweetspot.WeightOf[int](nil) },
		"ForEach: WeightOf has a func(string) int64: want a func(int) int64": func() {
			sweetspot.ForEach(t.Context(), ints, f, sweetspot.WeightOf(func(string) int64 { return 1 }))
		},
		"WeightOf: an item of weight -1: want 0 or more": func() {
			sweetspot.ForEach(t.Context(), ints, f, sweetspot.WeightOf(func(int) int64 { return -1 }))
		},
		"weight -2: want 0 or more": func() { l.DoWeight(t.Context(), -2, func(context.Context) error { return nil }) },
		"weight -3: want 0 or more": func() { l.BeginWeight(t.Context(), -3) },
	} {
		if got := fmt.Sprint(refuse(f)); !strings.Contains(got, want) {
			t.Errorf("panic %.100s, want %s", got, want)
		}
	}
	isFree(t, l)
}

// TestBudgetIsABottleneck: beside a budget the limit finds about as many units as it would take
// without a limit.
func TestBudgetIsABottleneck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		weights := make([]int64, 4000)
		for i := range weights {
			weights[i] = int64(1e6 * math.Exp(r.NormFloat64()))
		}
		run := func(l *sweetspot.Limiter) time.Duration {
			began := time.Now()
			if err := sweetspot.ForEach(t.Context(), weights, func(context.Context, int64) error {
				time.Sleep(50 * time.Millisecond)
				return nil
			}, l, sweetspot.WeightOf(func(w int64) int64 { return w })); err != nil {
				t.Error(err)
			}
			return time.Since(began)
		}
		budget := sweetspot.Budget(30e6)
		free := run(setTo(sweetspot.New(budget), 4000))
		l := sweetspot.New(budget, sweetspot.Sensor(idleMachine{}), sweetspot.Start(2))
		if took := run(l); took > free*12/10 || l.Limit() > 200 {
			t.Errorf("took %v at limits up to %d, want %v as with 4000", took, l.Limit(), free)
		}
	})
}
