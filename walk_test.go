package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A graph says which keys are next to k. Its keys are 0, 1, 2, ...
type graph func(k int, push func(int))

// tree is a complete tree of n keys, each with degree children as far as they
// exist.
func tree(n, degree int) graph {
	return func(k int, push func(int)) {
		for c := k*degree + 1; c <= k*degree+degree && c < n; c++ {
			push(c)
		}
	}
}

// chain is a tree of degree 1, each key of which also points to itself and back.
func chain(n int) graph {
	return func(k int, push func(int)) {
		push(k)
		if k > 0 {
			push(k - 1)
		}
		if k+1 < n {
			push(k + 1)
		}
	}
}

// grid is a square of side times side keys, each next to four others.
func grid(side int) graph {
	return func(k int, push func(int)) {
		if x := k % side; x > 0 {
			push(k - 1)
		}
		if x := k % side; x < side-1 {
			push(k + 1)
		}
		if k >= side {
			push(k - side)
		}
		if k+side < side*side {
			push(k + side)
		}
	}
}

// tangle has n keys with degree edges each to anywhere.
func tangle(n, degree int) graph {
	return func(k int, push func(int)) {
		x := uint64(k) + 1
		for range degree {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			push(int(x % uint64(n)))
		}
	}
}

// star has one key that leads to all others.
func star(n int) graph {
	return func(k int, push func(int)) {
		if k == 0 {
			for i := range n {
				push(i)
			}
		}
	}
}

// comb is a chain each key of which has a tooth beside it.
func comb(n int) graph {
	return func(k int, push func(int)) {
		if k%2 == 0 && k+2 < n {
			push(k + 2)
			push(k + 1)
		}
	}
}

// reach returns how often each of the keys below n is to be visited.
func reach(g graph, n int, roots ...int) []int32 {
	want := make([]int32, n)
	stack := []int{}
	push := func(k int) {
		if want[k] == 0 {
			want[k] = 1
			stack = append(stack, k)
		}
	}
	for _, k := range roots {
		push(k)
	}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		g(k, push)
	}
	return want
}

// explore walks over g, calling also beside each visit, and compares it with
// reach.
func explore(t *testing.T, g graph, n int, also func(ctx context.Context, k int) error, opts ...sweetspot.WalkOption) error {
	t.Helper()
	visits := make(once, n)
	err := sweetspot.Walk(t.Context(), slices.Values([]int{0, 0}), func(ctx context.Context, k int, push func(int)) error {
		visits[k].Add(1)
		g(k, push)
		if also == nil {
			return nil
		}
		return also(ctx, k)
	}, opts...)
	for k, want := range reach(g, n, 0) {
		if got := visits[k].Load(); got != want {
			t.Fatalf("key %d was visited %d times, want %d (error %v)", k, got, want, err)
		}
	}
	return err
}

var walkOptions = map[string]func() []sweetspot.WalkOption{
	"automatic": func() []sweetspot.WalkOption { return nil },
	"Fixed(1)":  func() []sweetspot.WalkOption { return []sweetspot.WalkOption{sweetspot.Fixed(1)} },
	"Fixed(4)":  func() []sweetspot.WalkOption { return []sweetspot.WalkOption{sweetspot.Fixed(4)} },
	"Limiter":   func() []sweetspot.WalkOption { return []sweetspot.WalkOption{setTo(sweetspot.New(), 3)} },
	"SizeHint":  func() []sweetspot.WalkOption { return []sweetspot.WalkOption{sweetspot.SizeHint(50_000)} },
	"too large": func() []sweetspot.WalkOption { return []sweetspot.WalkOption{sweetspot.SizeHint(math.MaxInt)} },
	"MinChunk":  func() []sweetspot.WalkOption { return []sweetspot.WalkOption{sweetspot.MinChunk(7)} },
}

func TestWalkVisitsEachKeyOnce(t *testing.T) {
	for name, g := range map[string]struct {
		graph
		n int
	}{
		"one key":   {tree(1, 1), 1},
		"small":     {tree(10, 3), 10},
		"tree":      {tree(40_000, 4), 40_000},
		"chain":     {chain(10_000), 10_000},
		"comb":      {comb(15_000), 15_000},
		"star":      {star(20_000), 20_000},
		"grid":      {grid(80), 6_400},
		"tangle":    {tangle(8_000, 6), 8_000},
		"many seen": {tangle(3_000, 100), 3_000},
	} {
		for option, opts := range walkOptions {
			t.Run(name+"/"+option, func(t *testing.T) {
				if err := explore(t, g.graph, g.n, nil, opts()...); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestWalkOfCostlyKeys: some visits are long, so that the number of keys taken at
// a time changes all the time.
func TestWalkOfCostlyKeys(t *testing.T) {
	for option, opts := range walkOptions {
		t.Run(option, func(t *testing.T) {
			if err := explore(t, tangle(3000, 6), 3000, func(_ context.Context, k int) error {
				if k%300 == 1 {
					time.Sleep(300 * time.Microsecond)
				}
				for began := time.Now(); k%10 == 0 && time.Since(began) < 20*time.Microsecond; {
				}
				return nil
			}, opts()...); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWalkHandsKeysOutAtOnce: what a long visit pushes is visited while it runs.
func TestWalkHandsKeysOutAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.WalkOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			var seen atomic.Int32
			if err := sweetspot.Walk(t.Context(), slices.Values([]int{0}), func(_ context.Context, k int, push func(int)) error {
				seen.Add(1)
				if k > 0 {
					return nil
				}
				for i := range 1000 {
					time.Sleep(time.Second)
					push(i)
				}
				time.Sleep(time.Second)
				if got := seen.Load(); got < 1000-1000/8 {
					t.Errorf("%d keys were visited while their parent ran", got)
				}
				return nil
			}, opt); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestWalkPullsRootsOnDemand: a sequence that waits for the visits of earlier
// roots does not wait in vain, and one that has no end is not run through.
func TestWalkPullsRootsOnDemand(t *testing.T) {
	errEnough := errors.New("enough")
	for cost, n := range map[time.Duration]int64{0: 5000, time.Second: 500} {
		for option, opts := range walkOptions {
			t.Run(fmt.Sprint(cost, option), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					// one at a time
					visited := make(chan int, 1)
					err := sweetspot.Walk(t.Context(), func(yield func(int) bool) {
						for i := range min(300, int(n)/5) {
							if !yield(i) {
								return
							}
							if got := <-visited; got != i {
								t.Errorf("visited %d after root %d", got, i)
							}
						}
					}, func(_ context.Context, k int, _ func(int)) error {
						time.Sleep(cost)
						visited <- k
						return nil
					}, opts()...)
					if err != nil {
						t.Error(err)
					}
					// without end
					var pulled, done atomic.Int64
					err = sweetspot.Walk(t.Context(), func(yield func(int64) bool) {
						for i := int64(0); yield(i); i++ {
							pulled.Add(1)
						}
					}, func(context.Context, int64, func(int64)) error {
						time.Sleep(cost)
						if done.Add(1) == n {
							return errEnough
						}
						return nil
					}, opts()...)
					if !errors.Is(err, errEnough) {
						t.Error(err)
					}
					// An automatic limit is bounded by nothing in virtual time.
					bounded := option == "Limiter" || strings.HasPrefix(option, "Fixed")
					if most := n + 1<<15; bounded && pulled.Load() > most {
						t.Errorf("%d roots were pulled", pulled.Load())
					}
				})
			})
		}
	}
}

// TestWalkWaitsForASharedLimiter: the walk gives up with its context, also while
// others hold all permits.
func TestWalkWaitsForASharedLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		l.Acquire(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := sweetspot.Walk(ctx, slices.Values([]int{0}), func(context.Context, int, func(int)) error { t.Error("called"); return nil }, l); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		l.SetLimit(3)
		ctx, cancel = context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute, func() { l.SetLimit(1) }) // for which we hold the permit
		began := time.Now()
		err := sweetspot.Walk(ctx, slices.Values([]int{1}), func(_ context.Context, k int, push func(int)) error {
			time.Sleep(time.Second)
			push(2 * k)
			push(2*k + 1)
			return nil
		}, l)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Minute {
			t.Error(err, time.Since(began))
		}
		l.Release()
		if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("afterwards the Limiter has %+v", s)
		}
	})
}

// TestWalkTakesKeysAsAMapDoes
func TestWalkTakesKeysAsAMapDoes(t *testing.T) {
	t.Run("zero size", func(t *testing.T) {
		if n := walkOver(t, func(struct{}) []struct{} { return make([]struct{}, 5) }, struct{}{}, struct{}{}); n != 1 {
			t.Errorf("%d visits", n)
		}
	})
	t.Run("NaN", func(t *testing.T) {
		nan := math.NaN()
		left := 1000
		n := walkOver(t, func(float64) []float64 {
			if left--; left < 0 {
				return nil
			}
			return []float64{nan, 0, math.Copysign(0, -1)}
		}, nan, nan)
		if n != 2+1000+1 {
			t.Errorf("%d visits", n)
		}
	})
	t.Run("interface", func(t *testing.T) {
		if n := walkOver(t, func(any) []any { return []any{1, int64(1), "1", 1.0, [1]int{1}, nil} }, any(nil)); n != 6 {
			t.Errorf("%d visits", n)
		}
		value := refuse(func() { walkOver(t, func(any) []any { return []any{[]int{1}} }, any(0)) })
		p, _ := value.(*sweetspot.PanicError)
		if _, ok := errors.Unwrap(p).(runtime.Error); !ok {
			t.Errorf("a slice as a key: %v", value)
		}
	})
	t.Run("large", func(t *testing.T) {
		if n := walkOver(t, func(k [40]int) [][40]int {
			if k[39] == 3000 {
				return nil
			}
			k[39]++
			return [][40]int{k, k}
		}, [40]int{}); n != 3001 {
			t.Errorf("%d visits", n)
		}
	})
	t.Run("pointer", func(t *testing.T) {
		s := make([]int, 100)
		if n := walkOver(t, func(*int) []*int {
			var next []*int
			for i := range s {
				next = append(next, &s[i])
			}
			return next
		}, &s[0]); n != 100 {
			t.Errorf("%d visits", n)
		}
	})
}

func walkOver[K comparable](t *testing.T, next func(K) []K, roots ...K) (n int) {
	t.Helper()
	if err := sweetspot.Walk(t.Context(), slices.Values(roots), func(_ context.Context, k K, push func(K)) error {
		n++
		for _, k := range next(k) {
			push(k)
		}
		return nil
	}, sweetspot.Fixed(1)); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWalkAllocatesPerGrowth: not per key.
func TestWalkAllocatesPerGrowth(t *testing.T) {
	mallocs := func(n int, enough float64) float64 {
		var before, after runtime.MemStats
		least := math.Inf(1)
		for i := 0; i < 5 && least > enough; i++ {
			runtime.ReadMemStats(&before)
			if err := sweetspot.Walk(context.Background(), slices.Values([]int{0}), func(_ context.Context, k int, push func(int)) error {
				tree(n, 4)(k, push)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			least = min(least, float64(after.Mallocs-before.Mallocs))
		}
		return least
	}
	const n = 500_000
	few := mallocs(1000, 0)
	// 64 shards grow some ten times; stacks and batches are a few; a helper that
	// leaves and comes again makes some objects.
	enough := few + 3000
	if rerun.Raced { // on a busy machine, helpers come and go all the time: up to 70,000 in a walk
		enough = few + n/10
	}
	if many := mallocs(n, enough); many > enough {
		t.Errorf("%v allocations for 1,000 keys, %v for %d", few, many, n)
	}
}

// TestWalkForeseesWaits: what earlier walks have learnt of visits that wait is
// used from the first key on.
func TestWalkForeseesWaits(t *testing.T) {
	const length, roots = 10 * time.Millisecond, 16
	synctest.Test(t, func(t *testing.T) {
		var early atomic.Int32 // begun before any has ended, or the law can have decided anything
		var began time.Time
		visit := func(_ context.Context, k int, push func(int)) error {
			if time.Since(began) < length {
				early.Add(1)
			}
			time.Sleep(length)
			if k < roots {
				push(k + roots)
			}
			return nil
		}
		// What a law learns in a bubble depends on the CPU time of the process.
		key := reflect.ValueOf(visit).Pointer()
		sweetspot.Learn(key, float64(length), 64)
		began = time.Now()
		var ended bool
		if err := sweetspot.Walk(t.Context(), count(roots, &ended), visit); err != nil {
			t.Fatal(err)
		}
		if early.Load() != roots {
			t.Errorf("%d visits of the %d roots ran together, want all", early.Load(), roots)
		}
	})
}

// TestWalkIgnoresRootsAfterItsEnd: a sequence may give more than was asked for.
func TestWalkIgnoresRootsAfterItsEnd(t *testing.T) {
	visits := 0
	err := sweetspot.Walk(t.Context(), func(yield func(int) bool) {
		yield(1)
		yield(2)
	}, func(context.Context, int, func(int)) error { visits++; return errBad })
	if !errors.Is(err, errBad) || visits != 1 {
		t.Errorf("%v after %d visits", err, visits)
	}
}

// TestWalkRemembersThroughShortWalks: one of a single key, or of none, forgets
// nothing that would have the next one set a timer.
func TestWalkRemembersThroughShortWalks(t *testing.T) {
	var visits int
	visit := func(context.Context, int, func(int)) error { visits++; return nil }
	key := reflect.ValueOf(visit).Pointer()
	for _, n := range []int{1, 1, 0, 1, 0, 0} {
		var ended bool
		if err := sweetspot.Walk(t.Context(), count(n, &ended), visit); err != nil {
			t.Fatal(err)
		}
		if sweetspot.Recall(key) == 0 {
			t.Fatalf("nothing is known after a walk of %d keys", n)
		}
	}
	if visits != 3 {
		t.Errorf("%d visits", visits)
	}
}
