package sweetspot

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// Reduce folds the elements of s into one value. It folds runs of neighbouring
// elements, each into its own accumulator made by init; merge then joins the
// accumulators in the order of the runs. So merge must be associative, and init its
// neutral element. It need not commute: concatenation is fine.
//
// Errors, cancelling, panics and limits are as with [Map]; on an error Reduce returns
// the zero A. With [AllErrors], Reduce leaves out the elements whose fold failed, keeps
// the accumulator that fold returned with the error, and returns the result of the
// others beside the errors.
//
// There are as many runs as goroutines, and a few more where one took over from
// another. An accumulator stays in the goroutine that folds its run: it is not shared,
// and does not lie beside another in memory. Several goroutines may call init at once;
// the calling goroutine calls merge. Reduce of no elements returns init().
func Reduce[T, A any](ctx context.Context, s []T, init func() A, fold func(ctx context.Context, acc A, v T) (A, error), merge func(a, b A) A, opts ...MapOption) (A, error) {
	must(init != nil && fold != nil && merge != nil, "sweetspot: Reduce: a function is nil")
	set := settingsOf("Reduce", opts)
	r := &reducing[T, A]{s: s, fold: fold, errs: itemErrors{all: set.allErrors}}
	r.init, r.merge = init, merge
	r.Engage(reflect.ValueOf(fold).Pointer(), &set.Config)
	if set.Weighed {
		r.fold = foldWeighed(weightOf[T]("Reduce", set.weight), fold)
	}
	err := r.Do(ctx, r, len(s))
	if err != nil && !set.allErrors {
		var none A
		return none, err
	}
	return r.result(), r.errs.join(err)
}

type reducing[T, A any] struct {
	ranges.Job
	runs[A]
	s    []T
	fold func(context.Context, A, T) (A, error)
	errs itemErrors
}

func (r *reducing[T, A]) Work(w *call.Worker) error {
	fold, ctx := r.fold, r.Context()
	var acc run[A]
	for {
		lo, hi, ok := r.Next(w)
		if !ok {
			break
		}
		r.begin(&acc, lo)
		for acc.hi < hi {
			var n int
			var err error
			acc.value, n, err = foldAll(ctx, fold, acc.value, r.s[acc.hi:hi])
			acc.hi += n
			if err == nil {
				break
			}
			if err := r.errs.take(w, acc.hi, err); err != nil {
				r.end(&acc)
				return err
			}
			acc.hi++
		}
	}
	r.end(&acc)
	return nil
}

// foldAll folds the elements of s into acc up to the first error, whose number
// it returns.
func foldAll[T, A any](ctx context.Context, fold func(context.Context, A, T) (A, error), acc A, s []T) (A, int, error) {
	for i, v := range s {
		var err error
		if acc, err = fold(ctx, acc, v); err != nil {
			return acc, i, err
		}
	}
	return acc, len(s), nil
}

// ReduceRange folds the numbers from 0 to n into one value. It is [Reduce] with the
// loop inside fold: fold gets a range, from lo up to hi, so its loop can keep the
// accumulator in a register. That gains more than padding the accumulator: a sum of
// integers runs seven times as fast (see "How Goroutines can slow down your program" by
// Julian Friedman and the measurements in BENCHMARKS.md).
//
// Together the ranges cover each number once. Measurements decide their sizes, so fold
// must accept any. An error of fold is returned unwrapped, because it has no index. It
// panics if n < 0.
func ReduceRange[A any](ctx context.Context, n int, init func() A, fold func(ctx context.Context, acc A, lo, hi int) (A, error), merge func(a, b A) A, opts ...ChunkOption) (A, error) {
	must(init != nil && fold != nil && merge != nil, "sweetspot: ReduceRange: a function is nil")
	atLeast(0, "ReduceRange", n)
	r := &rangeReducing[A]{fold: fold}
	r.init, r.merge = init, merge
	r.Engage(reflect.ValueOf(fold).Pointer(), &settingsOf("ReduceRange", opts).Config)
	r.Widest = ranges.Widest
	if err := r.Do(ctx, r, n); err != nil {
		var none A
		return none, err
	}
	return r.result(), nil
}

type rangeReducing[A any] struct {
	ranges.Job
	runs[A]
	fold func(context.Context, A, int, int) (A, error)
}

func (r *rangeReducing[A]) Work(w *call.Worker) error {
	var acc run[A]
	for {
		lo, hi, ok := r.Next(w)
		if !ok {
			break
		}
		r.begin(&acc, lo)
		var err error
		if acc.value, err = r.fold(r.Context(), acc.value, lo, hi); err != nil {
			return err
		}
		acc.hi = hi
	}
	r.end(&acc)
	return nil
}

// A run is the fold of neighbouring items.
type run[A any] struct {
	lo, hi int // empty while there is no run
	value  A
}

// runs are the runs of one call that have ended.
type runs[A any] struct {
	init  func() A
	merge func(a, b A) A
	guard sync.Mutex
	list  []run[A]
	few   [2]run[A] // room for the runs of a short call
}

// runsMore is room for those of a long one, in which workers have come and gone.
const runsMore = 14

// begin ends the run acc if lo does not continue it, and begins another one. Only
// a worker that took over from another one does not go on where it stood.
func (r *runs[A]) begin(acc *run[A], lo int) {
	if acc.hi == lo && acc.lo < acc.hi {
		return
	}
	r.end(acc)
	*acc = run[A]{lo: lo, hi: lo, value: r.init()}
}

func (r *runs[A]) end(acc *run[A]) {
	if acc.lo < acc.hi {
		r.guard.Lock()
		switch len(r.list) {
		case 0:
			r.list = r.few[:0]
		case len(r.few):
			r.list = slices.Grow(r.list, runsMore)
		}
		r.list = append(r.list, *acc)
		r.guard.Unlock()
	}
}

// result merges the runs from left to right.
func (r *runs[A]) result() (total A) {
	if len(r.list) == 1 {
		return r.list[0].value
	}
	defer wrapped()
	if len(r.list) == 0 {
		return r.init()
	}
	slices.SortFunc(r.list, func(a, b run[A]) int { return cmp.Compare(a.lo, b.lo) })
	total = r.list[0].value
	for _, next := range r.list[1:] {
		total = r.merge(total, next.value)
	}
	return total
}
