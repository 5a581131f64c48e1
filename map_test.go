package sweetspot_test

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

func TestMapReturnsWhatItCan(t *testing.T) {
	double := func(_ context.Context, v int) (int, error) {
		if v == 3 {
			return 33, errBad
		}
		return 2 * v, nil
	}
	got, err := sweetspot.Map(t.Context(), numbers(6), double)
	if got != nil || err.Error() != "item 3: bad" {
		t.Errorf("%v, %v", got, err)
	}
	got, err = sweetspot.Map(t.Context(), numbers(6), double, sweetspot.AllErrors())
	if !slices.Equal(got, []int{0, 2, 4, 0, 8, 10}) || err.Error() != "item 3: bad" {
		t.Errorf("with AllErrors %v, %v", got, err)
	}
	got, err = sweetspot.Map(t.Context(), []int{}, double)
	if got == nil || len(got) != 0 || err != nil {
		t.Errorf("of nothing %v, %v", got, err)
	}
}

// TestReduceKeepsWhatWasFolded: with all errors a cancelled Reduce returns what was folded.
func TestReduceKeepsWhatWasFolded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	n, err := sweetspot.Reduce(ctx, numbers(10), func() int { return 0 }, func(ctx context.Context, acc, v int) (int, error) {
		if v == 5 {
			cancel(errStop)
			return acc, ctx.Err()
		}
		return acc + 1, nil
	}, func(a, b int) int { return a + b }, sweetspot.AllErrors(), sweetspot.Fixed(1))
	if n != 5 || err != errStop {
		t.Errorf("%d, %v; want 5", n, err)
	}
}

// TestAllocations: a call allocates by its goroutines, not by its items.
func TestAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	count := func(n int) uint64 {
		s := numbers(n)
		f := func(_ context.Context, v int) (int, error) {
			for range 50 {
				v = v*31 + 1
			}
			return v, nil
		}
		least := uint64(1 << 62)
		for range 5 { // others of the test binary allocate as well
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			sweetspot.Map(t.Context(), s, f)
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		return least
	}
	few, many := count(1000), count(1_000_000)
	// One for each of some goroutines, and the Limiter of a call that lasts.
	if many > few+50 {
		t.Errorf("%d allocations for 1,000,000 items, %d for 1,000", many, few)
	}
}

// TestShortCallsAllocate: what short calls allocate is counted, as it is a part of what they cost.
func TestShortCallsAllocate(t *testing.T) {
	if rerun.Raced {
		t.Skip("a sync.Pool forgets on purpose under the race detector")
	}
	ctx, s := t.Context(), numbers(10)
	zero, add := func() int { return 0 }, func(a, b int) int { return a + b }
	values := slices.Values(s)
	for name, c := range map[string]struct {
		f    func()
		most float64
	}{
		"Map":     {func() { sweetspot.Map(ctx, s, func(_ context.Context, v int) (int, error) { return v, nil }) }, 2},
		"ForEach": {func() { sweetspot.ForEach(ctx, s, func(context.Context, int) error { return nil }) }, 1},
		"Reduce": {func() {
			sweetspot.Reduce(ctx, s, zero, func(_ context.Context, acc, v int) (int, error) { return acc + v, nil }, add)
		}, 1},
		"ForEachSeq": {func() { sweetspot.ForEachSeq(ctx, values, func(context.Context, int) error { return nil }) }, 2},
		"Workers": {func() {
			sweetspot.Workers(ctx, s, func(_ context.Context, items iter.Seq2[int, int]) error {
				for range items {
				}
				return nil
			})
		}, 4},
		"WorkersRange": {func() {
			sweetspot.WorkersRange(ctx, 10, func(_ context.Context, chunks iter.Seq2[int, int]) error {
				for range chunks {
				}
				return nil
			})
		}, 4},
	} {
		if n := testing.AllocsPerRun(1000, c.f); n > c.most {
			t.Errorf("%s allocates %v times, want %v", name, n, c.most)
		}
	}
}

// TestCallsTellTheLimiter: what a call does under a shared Limiter is counted as
// its units, by items; failures are not.
func TestCallsTellTheLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooMuch := errors.New("429")
		l := setTo(governed(law(keep), sweetspot.Classify(func(err error) sweetspot.Outcome {
			if errors.Is(err, tooMuch) {
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		})), 2)
		err := sweetspot.ForEach(t.Context(), numbers(40), func(_ context.Context, i int) error {
			time.Sleep(10 * time.Millisecond)
			switch i % 10 {
			case 3:
				return tooMuch
			case 4:
				return errBad
			}
			return nil
		}, l, sweetspot.AllErrors())
		s := l.Stats()
		if err == nil || s.Completed != 32 || s.Overloads != 4 || s.Ignored != 4 {
			t.Errorf("%v: %+v", err, s)
		}
		isFree(t, l)
	})
}

// TestOutcomesOfItems: each item is a unit with an outcome of its own, whatever chunk it
// is in. For the law a chunk is one, and overloaded to the share of its items that were.
func TestOutcomesOfItems(t *testing.T) {
	tooMuch, fine := errors.New("429"), errors.New("not found")
	for name, call := range map[string]func(ctx context.Context, f item, opts ...sweetspot.MapOption) error{
		"ForEach": func(ctx context.Context, f item, opts ...sweetspot.MapOption) error {
			return sweetspot.ForEach(ctx, numbers(40), f, opts...)
		},
		"ForEachSeq": func(ctx context.Context, f item, opts ...sweetspot.MapOption) error {
			return sweetspot.ForEachSeq(ctx, slices.Values(numbers(40)), f, opts...)
		},
		"MapSeq": func(ctx context.Context, f item, opts ...sweetspot.MapOption) (last error) {
			for _, err := range sweetspot.MapSeq(ctx, slices.Values(numbers(40)), func(ctx context.Context, i int) (int, error) {
				return i, f(ctx, i)
			}, as[sweetspot.MapSeqOption](opts)...) {
				last = cmp.Or(err, last)
			}
			return last
		},
		"Walk": func(ctx context.Context, f item, opts ...sweetspot.MapOption) error {
			return sweetspot.Walk(ctx, slices.Values(numbers(40)), func(ctx context.Context, i int, _ func(int)) error {
				return f(ctx, i)
			}, as[sweetspot.WalkOption](opts)...)
		},
	} {
		for _, c := range []struct {
			overloaded, failed, fine int     // of ten items; fine is an error that is Done
			law                      float64 // overloads in a chunk of ten
		}{
			{10, 0, 0, 1},
			{0, 10, 0, 0},
			{3, 7, 0, 1},
			{5, 0, 0, 0.5},
			{0, 5, 0, 0},
			{1, 8, 0, 0.5}, // as many as are done
			{1, 0, 3, 0.1},
			{0, 2, 8, 0},
		} {
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{law: keep}
				l := setTo(governed(r, sweetspot.Classify(func(err error) sweetspot.Outcome {
					switch {
					case errors.Is(err, tooMuch):
						return sweetspot.Overloaded
					case errors.Is(err, fine):
						return sweetspot.Done
					}
					return sweetspot.Ignored
				})), 1)
				err := call(t.Context(), func(_ context.Context, i int) error {
					time.Sleep(10 * time.Millisecond)
					switch i %= 10; {
					case i < c.overloaded:
						return tooMuch
					case i < c.overloaded+c.failed:
						return errBad
					case i < c.overloaded+c.failed+c.fine:
						return fine
					}
					return nil
				}, l, sweetspot.AllErrors(), sweetspot.MinChunk(10))
				s := l.Stats()
				bad := int64(4 * (c.overloaded + c.failed))
				if err == nil || s.Completed != 40-bad || s.Ignored != int64(4*c.failed) || s.Overloads != int64(4*c.overloaded) {
					t.Errorf("%s, %+v: %d completed, %d ignored, %d overloads", name, c, s.Completed, s.Ignored, s.Overloads)
				}
				rests(t, l)
				// A worker takes what a sequence has yielded so far, which may be less than a
				// grain.
				if last := r.last(); name == "ForEach" && last.Overloads != int64(4*c.law) || last.Units != float64(40-bad) {
					t.Errorf("%s, %+v: the law sees %d overloads, %v units", name, c, last.Overloads, last.Units)
				}
				isFree(t, l)
			})
		}
	}
}

// TestOutcomeOfAFailedCall: the item that ends a call is a unit, too.
func TestOutcomeOfAFailedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooMuch := errors.New("429")
		l := setTo(governed(law(keep), sweetspot.Classify(func(err error) sweetspot.Outcome {
			if errors.Is(err, tooMuch) {
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		})), 1)
		for _, err := range []error{tooMuch, errBad, tooMuch, tooMuch} {
			sweetspot.ForEach(t.Context(), numbers(40), func(context.Context, int) error { return err }, l, sweetspot.MinChunk(10))
		}
		if s := l.Stats(); s.Completed != 0 || s.Ignored != 1 || s.Overloads != 3 {
			t.Errorf("%+v, want 1 ignored and 3 overloads", s)
		}
		isFree(t, l)
	})
}

// TestOverloadsInsideAUnit: what a call does under the permit of a unit is a part of that. If the
// unit ends as overloaded, it is one overload; otherwise the law sees a part of its one turn.
func TestOverloadsInsideAUnit(t *testing.T) {
	tooMuch := errors.New("429")
	type function = func(ctx context.Context) error
	for name, unit := range map[string]func(ctx context.Context, l *sweetspot.Limiter, f function) error{
		"Do": func(ctx context.Context, l *sweetspot.Limiter, f function) error { return l.Do(ctx, f) },
		"DoWeight in Do": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			return l.Do(ctx, func(ctx context.Context) error { return l.DoWeight(ctx, 3, f) })
		},
		"Group": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			var g sweetspot.Group
			g.SetLimiter(l)
			g.GoContext(ctx, f)
			return g.Wait()
		},
		"ForEach": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			return sweetspot.ForEach(ctx, numbers(1), func(ctx context.Context, _ int) error { return f(ctx) }, l)
		},
		"ForEach, weighed": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			return sweetspot.ForEach(ctx, numbers(1), func(ctx context.Context, _ int) error { return f(ctx) }, l,
				sweetspot.WeightOf(func(int) int64 { return 3 }))
		},
		"ForEach in Do": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			return l.Do(ctx, func(ctx context.Context) error {
				return sweetspot.ForEach(ctx, numbers(1), func(ctx context.Context, _ int) error { return f(ctx) }, l)
			})
		},
		"Pool": func(ctx context.Context, l *sweetspot.Limiter, f function) error {
			p := sweetspot.NewPool(ctx, func(ctx context.Context, values iter.Seq[int]) (err error) {
				for range values {
					err = cmp.Or(err, f(ctx))
				}
				return err
			}, l)
			p.Submit(ctx, 0)
			return p.Close()
		},
	} {
		inside := func(t *testing.T, f func(ctx context.Context, l *sweetspot.Limiter) error) (sweetspot.Stats, control.Reading, error) {
			r := &recorder{law: keep}
			l := setTo(governed(r, sweetspot.Budget(10), sweetspot.Classify(func(err error) sweetspot.Outcome {
				switch {
				case err == nil:
					return sweetspot.Done
				case errors.Is(err, tooMuch):
					return sweetspot.Overloaded
				}
				return sweetspot.Ignored
			})), 1)
			var err error
			for range 2 {
				err = unit(t.Context(), l, func(ctx context.Context) error {
					time.Sleep(10 * time.Millisecond)
					return f(ctx, l)
				})
			}
			s := l.Stats()
			rests(t, l)
			last := r.last()
			isFree(t, l)
			return s, last, err
		}
		synctest.Test(t, func(t *testing.T) {
			s, r, err := inside(t, func(ctx context.Context, l *sweetspot.Limiter) error {
				return sweetspot.ForEach(ctx, numbers(1), func(context.Context, int) error { return tooMuch }, l)
			})
			if name != "Pool" && (s.Completed != 0 || s.Overloads != 2 || r.Overloads != 2) || !errors.Is(err, tooMuch) {
				t.Errorf("%s: two return %v: %+v; the law sees %d overloads", name, err, s, r.Overloads)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			s, r, err := inside(t, func(ctx context.Context, l *sweetspot.Limiter) error {
				for range 100 {
					sweetspot.ForEach(ctx, numbers(10), func(_ context.Context, i int) error {
						if i < 6 {
							return tooMuch
						}
						return nil
					}, l, sweetspot.AllErrors())
				}
				return nil
			})
			if s.Completed != 2 || s.Overloads != 0 || r.Completed != 2 || r.Overloads != 1 || err != nil {
				t.Errorf("%s: two return %v, six tenths overloaded: %+v; the law sees %d overloads, want 1 of 2", name, err, s, r.Overloads)
			}
		})
	}
}

// TestPoolCountsValues: each value is a unit, also those of a worker that returns before
// its range has ended.
func TestPoolCountsValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(governed(law(keep)), 2)
		p := sweetspot.NewPool(t.Context(), func(_ context.Context, values iter.Seq[int]) error {
			n := 0
			for range values {
				if n++; n == 7 {
					return nil
				}
			}
			return nil
		}, l, sweetspot.MinChunk(5))
		for i := range 100 {
			p.Submit(t.Context(), i)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if s := l.Stats(); s.Completed != 100 {
			t.Errorf("%+v, want 100 completed", s)
		}
		isFree(t, l)
	})
}
