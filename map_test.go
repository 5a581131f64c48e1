package sweetspot_test

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
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
	got, err = sweetspot.Map(t.Context(), numbers(6), double, sweetspot.JoinErrors())
	if !slices.Equal(got, []int{0, 2, 4, 0, 8, 10}) || err.Error() != "item 3: bad" {
		t.Errorf("with JoinErrors %v, %v", got, err)
	}
	got, err = sweetspot.Map(t.Context(), []int{}, double)
	if got == nil || len(got) != 0 || err != nil {
		t.Errorf("of nothing %v, %v", got, err)
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
	// 8 for each goroutine, and the Limiter of a call that lasts.
	const limiter = 60
	if many > few+8*2+limiter {
		t.Errorf("%d allocations for 1,000,000 items, %d for 1,000", many, few)
	}
}

// TestCallsTellTheLimiter: what a call does under a shared Limiter is counted as
// its units, by items; failures are not.
func TestCallsTellTheLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooMuch := errors.New("429")
		l := governed(law(keep), sweetspot.Fixed(2), sweetspot.Classify(func(err error) sweetspot.Outcome {
			if errors.Is(err, tooMuch) {
				return sweetspot.Overloaded
			}
			return sweetspot.Ignored
		}))
		err := sweetspot.ForEach(t.Context(), numbers(40), func(_ context.Context, i int) error {
			time.Sleep(10 * time.Millisecond)
			switch i % 10 {
			case 3:
				return tooMuch
			case 4:
				return errBad
			}
			return nil
		}, l, sweetspot.JoinErrors())
		s := l.Stats()
		if err == nil || s.Completed != 32 || s.Overloads != 4 || s.Ignored != 4 {
			t.Errorf("%v: %+v", err, s)
		}
		isFree(t, l)
	})
}

// TestOutcomesOfChunks: a chunk is one unit, also where its items end in different ways.
func TestOutcomesOfChunks(t *testing.T) {
	tooMuch := errors.New("429")
	type item = func(context.Context, int) error
	calls := map[string]func(ctx context.Context, f item, opts ...sweetspot.Option) error{
		"ForEach": func(ctx context.Context, f item, opts ...sweetspot.Option) error {
			return sweetspot.ForEach(ctx, numbers(40), f, opts...)
		},
		"MapSeq": func(ctx context.Context, f item, opts ...sweetspot.Option) (last error) {
			for _, err := range sweetspot.MapSeq(ctx, slices.Values(numbers(40)), func(ctx context.Context, i int) (int, error) {
				return i, f(ctx, i)
			}, opts...) {
				last = cmp.Or(err, last)
			}
			return last
		},
	}
	for _, c := range []struct {
		overloaded, failed            int   // of ten items
		completed, ignored, overloads int64 // of four chunks
	}{
		{10, 0, 0, 0, 4},
		{0, 10, 0, 4, 0},
		{3, 7, 0, 0, 4},
		{5, 0, 4, 0, 2}, // half of each
		{0, 5, 4, 0, 0},
		{1, 8, 4, 0, 2}, // as many as are done
		{1, 0, 4, 0, 0}, // a tenth of each
	} {
		for name, call := range calls {
			synctest.Test(t, func(t *testing.T) {
				l := governed(law(keep), sweetspot.Fixed(1), sweetspot.Classify(func(err error) sweetspot.Outcome {
					if errors.Is(err, tooMuch) {
						return sweetspot.Overloaded
					}
					return sweetspot.Ignored
				}))
				err := call(t.Context(), func(_ context.Context, i int) error {
					time.Sleep(10 * time.Millisecond)
					switch {
					case i%10 < c.overloaded:
						return tooMuch
					case i%10 < c.overloaded+c.failed:
						return errBad
					}
					return nil
				}, l, sweetspot.JoinErrors(), sweetspot.Grain(10))
				s := l.Stats()
				ok := s.Completed == c.completed && s.Ignored == c.ignored && s.Overloads == c.overloads
				if name == "MapSeq" {
					// A worker takes what the sequence has yielded so far, which may be
					// less than a grain.
					ok = s.Completed+s.Ignored+s.Overloads >= 4
					if c.overloaded == 10 || c.failed == 10 {
						ok = ok && s.Completed == 0 && (s.Ignored > 0) == (c.failed == 10) && (s.Overloads > 0) == (c.overloaded == 10)
					}
				}
				if err == nil || !ok {
					t.Errorf("%s, %+v: %d completed, %d ignored, %d overloads", name, c, s.Completed, s.Ignored, s.Overloads)
				}
				isFree(t, l)
			})
		}
	}
}

// TestOutcomeOfAFailedCall: the chunk that ends a call is a unit, too.
func TestOutcomeOfAFailedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(law(keep), sweetspot.Fixed(1), sweetspot.Classify(func(error) sweetspot.Outcome { return sweetspot.Overloaded }))
		for range 3 {
			sweetspot.ForEach(t.Context(), numbers(40), func(context.Context, int) error { return errBad }, l, sweetspot.Grain(10))
		}
		if s := l.Stats(); s.Completed != 0 || s.Ignored != 0 || s.Overloads != 3 {
			t.Errorf("%+v, want 3 overloads", s)
		}
		isFree(t, l)
	})
}
