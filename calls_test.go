package sweetspot_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot"
)

// An item is the work of one index.
type item func(ctx context.Context, i int) error

// A call is one way to run work in parallel, in the shape that all of them share: it runs
// do once for each number from 0 to n.
type call struct {
	name string
	run  func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error
	// at returns the item that an error is about, or -1. It is nil where errors come as
	// they are and AllErrors is not taken.
	at func(error) int
}

// calls are all of them: the columns of the contracts in contract_test.go and
// ending_test.go, which are the rows.
var calls = slices.Concat(rangeCalls, sequenceCalls(), otherCalls)

// rangeCalls are the calls on slices and ranges.
var rangeCalls = []call{
	{"Map", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		out, err := sweetspot.Map(ctx, numbers(n), func(ctx context.Context, i int) (int, error) {
			return i + 1, do(ctx, i)
		}, opts...)
		if err != nil {
			return err
		}
		for i, v := range out {
			if v != i+1 {
				return fmt.Errorf("result %d is %d", i, v)
			}
		}
		if len(out) != n {
			return fmt.Errorf("%d results", len(out))
		}
		return nil
	}, itemAt},
	{"ForEach", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEach(ctx, numbers(n), do, opts...)
	}, itemAt},
	{"ForEachIndex", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEachIndex(ctx, n, do, opts...)
	}, itemAt},
	{"Reduce", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		got, err := sweetspot.Reduce(ctx, numbers(n), newRuns, func(ctx context.Context, acc []span, i int) ([]span, error) {
			return join(acc, []span{{i, i + 1}}), do(ctx, i)
		}, join, opts...)
		return whole(got, n, err)
	}, itemAt},
	{"ReduceRange", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		got, err := sweetspot.ReduceRange(ctx, n, newRuns, func(ctx context.Context, acc []span, lo, hi int) ([]span, error) {
			for i := lo; i < hi; i++ {
				if err := do(ctx, i); err != nil {
					return nil, err
				}
			}
			return join(acc, []span{{lo, hi}}), nil
		}, join, as[sweetspot.ChunkOption](opts)...)
		return whole(got, n, err)
	}, nil},
	{"Workers", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.Workers(ctx, numbers(n), func(ctx context.Context, items iter.Seq2[int, int]) error {
			for i, v := range items {
				if i != v {
					return fmt.Errorf("item %d is %d", i, v)
				}
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		}, as[sweetspot.ChunkOption](opts)...)
	}, nil},
	{"WorkersRange", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.WorkersRange(ctx, n, func(ctx context.Context, chunks iter.Seq2[int, int]) error {
			for lo, hi := range chunks {
				for i := lo; i < hi; i++ {
					if err := do(ctx, i); err != nil {
						return err
					}
				}
			}
			return nil
		}, as[sweetspot.ChunkOption](opts)...)
	}, nil},
}

// seqCalls are the calls on sequences: each runs do once for each value of seq.
var seqCalls = []struct {
	name string
	run  func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error
	at   func(error) int
}{
	{"ForEachSeq", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		return sweetspot.ForEachSeq(ctx, seq, do, opts...)
	}, itemAt},
	{"MapSeq", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		n := 0
		var errs []error
		for v, err := range sweetspot.MapSeq(ctx, seq, func(ctx context.Context, i int) (int, error) { return i + 1, do(ctx, i) }, as[sweetspot.MapSeqOption](opts)...) {
			if n++; err != nil {
				errs = append(errs, err)
			} else if v != n {
				return fmt.Errorf("result %d is %d", n, v)
			}
		}
		return joined(errs)
	}, itemAt},
	{"MapSeq unordered", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		came := map[int]bool{}
		var errs []error
		for v, err := range sweetspot.MapSeq(ctx, seq, func(ctx context.Context, i int) (int, error) { return i, do(ctx, i) }, append(as[sweetspot.MapSeqOption](opts), sweetspot.Unordered())...) {
			if err != nil {
				errs = append(errs, err)
			} else if came[v] {
				return fmt.Errorf("result %d came twice", v)
			} else {
				came[v] = true
			}
		}
		for i := range len(came) {
			if len(errs) == 0 && !came[i] {
				return fmt.Errorf("result %d is missing", i)
			}
		}
		return joined(errs)
	}, itemAt},
	{"Walk of roots", func(ctx context.Context, seq iter.Seq[int], do item, opts ...sweetspot.MapOption) error {
		return sweetspot.Walk(ctx, seq, func(ctx context.Context, k int, _ func(int)) error { return do(ctx, k) }, as[sweetspot.WalkOption](opts)...)
	}, keyAt},
}

// joined returns one error as it is, and several joined.
func joined(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// sequenceCalls returns seqCalls over the numbers. They panic if the sequence has not
// returned when the call does.
func sequenceCalls() (list []call) {
	for _, c := range seqCalls {
		list = append(list, call{c.name, func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
			running := false
			defer func() {
				if running {
					panic("the sequence outlives the call")
				}
			}()
			return c.run(ctx, func(yield func(int) bool) {
				running = true
				defer func() { running = false }()
				for i := 0; i < n && yield(i); i++ {
				}
			}, do, opts...)
		}, c.at})
	}
	return list
}

var otherCalls = []call{
	{"Walk", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		return sweetspot.Walk(ctx, slices.Values(numbers(min(n, 1))), func(ctx context.Context, k int, push func(int)) error {
			tree(n, 3)(k, push)
			return do(ctx, k)
		}, as[sweetspot.WalkOption](opts)...)
	}, keyAt},
	{"Join", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		var halve func(*sweetspot.Joiner, span) int
		halve = func(j *sweetspot.Joiner, s span) int {
			if s.hi-s.lo <= 1 {
				for i := s.lo; i < s.hi; i++ {
					do(ctx, i)
				}
				return s.hi - s.lo
			}
			mid := (s.lo + s.hi) / 2
			a, b := sweetspot.Join(j, halve, span{s.lo, mid}, span{mid, s.hi})
			return a + b
		}
		if got := halve(sweetspot.NewJoiner(as[sweetspot.Option](opts)...), span{0, n}); got != n {
			return fmt.Errorf("%d leaves", got)
		}
		return nil
	}, nil},
	{"Group", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		g, ctx := sweetspot.NewGroup(ctx)
		fixed, l := sweetspot.BoundsIn(opts)
		g.SetLimit(cmp.Or(fixed, 10*runtime.GOMAXPROCS(0)))
		g.SetLimiter(l)
		var err error
		for i := 0; i < n && err == nil; i++ {
			err = g.GoContext(ctx, func(ctx context.Context) error { return do(ctx, i) })
		}
		return cmp.Or(g.Wait(), err)
	}, nil},
	{"Pool", func(ctx context.Context, n int, do item, opts ...sweetspot.MapOption) error {
		p := sweetspot.NewPool(ctx, func(ctx context.Context, values iter.Seq[int]) error {
			for i := range values {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		}, as[sweetspot.ChunkOption](opts)...)
		var err error
		for i := 0; i < n && err == nil; i++ {
			err = p.Submit(ctx, i)
		}
		return cmp.Or(p.Close(), err)
	}, nil},
}

func itemAt(err error) int {
	if e, ok := errors.AsType[*sweetspot.ItemError](err); ok {
		return e.Index
	}
	return -1
}

func keyAt(err error) int {
	if e, ok := errors.AsType[*sweetspot.KeyError[int]](err); ok {
		return e.Key
	}
	return -1
}

// Reasons why a contract is not one of all calls, by the name of the call.
type exceptions map[string]string

// eachCall runs test on all calls but the exceptions.
func eachCall(t *testing.T, but exceptions, test func(t *testing.T, c call)) {
	for name := range but {
		if !slices.ContainsFunc(calls, func(c call) bool { return c.name == name }) {
			t.Errorf("there is no call %q to be an exception", name)
		}
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			if why, ok := but[c.name]; ok {
				t.Skip(why)
			}
			test(t, c)
		})
	}
}

// inBubble has a test of calls run in virtual time.
func inBubble(test func(t *testing.T, c call)) func(t *testing.T, c call) {
	return func(t *testing.T, c call) {
		synctest.Test(t, func(t *testing.T) { test(t, c) })
	}
}

func numbers(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// A span is a range of numbers; a list of them, joined in order, shows every
// fault of a fold: an item twice, left out or out of place.
type span struct{ lo, hi int }

func newRuns() []span { return nil }

func join(a, b []span) []span {
	if len(a) > 0 && len(b) > 0 && a[len(a)-1].hi == b[0].lo {
		a[len(a)-1].hi = b[0].hi
		b = b[1:]
	}
	return append(a, b...)
}

func whole(got []span, n int, err error) error {
	switch {
	case err != nil:
		return err
	case n == 0 && len(got) == 0 || len(got) == 1 && got[0] == span{0, n}:
		return nil
	}
	return fmt.Errorf("folded %v of %d items", got, n)
}

// once counts the visits of each item.
type once []atomic.Int32

func (o once) check(t *testing.T, want int32) {
	t.Helper()
	for i := range o {
		if got := o[i].Load(); got != want {
			t.Fatalf("item %d was done %d times, want %d", i, got, want)
		}
	}
}
