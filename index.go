package sweetspot

import (
	"context"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// ForEachIndex calls f once with each number from 0 to n. It panics if n < 0.
//
// It is [ForEach] without a slice, with the same rules for order, errors, cancelling,
// panics, limits and cost. If a call of f per number is too expensive, use
// [ReduceRange] or [WorkersRange], which give f whole ranges.
func ForEachIndex(ctx context.Context, n int, f func(ctx context.Context, i int) error, opts ...MapOption) error {
	must(f != nil, "sweetspot: ForEachIndex: the function is nil")
	atLeast(0, "ForEachIndex", n)
	set := settingsOf("ForEachIndex", opts)
	e := &counting{f: f, errs: itemErrors{all: set.allErrors}}
	e.Engage(reflect.ValueOf(f).Pointer(), &set.Config)
	if set.Weighed {
		e.f = visitWeighed(weightOf[int]("ForEachIndex", set.weight), f)
	}
	return e.errs.join(e.Do(ctx, e, n))
}

type counting struct {
	ranges.Job
	f    func(context.Context, int) error
	errs itemErrors
}

func (e *counting) Work(w *call.Worker) error {
	f, ctx := e.f, e.Context()
	for {
		lo, hi, ok := e.Next(w)
		if !ok {
			return nil
		}
		for lo < hi {
			i, err := countUp(ctx, f, lo, hi)
			if err == nil {
				break
			}
			if err := e.errs.take(w, i, err); err != nil {
				return err
			}
			lo = i + 1
		}
	}
}

// countUp calls f with the numbers from lo to hi up to the first error, whose number it
// returns. It is the plain loop, as visitAll is for slices.
func countUp(ctx context.Context, f func(context.Context, int) error, lo, hi int) (int, error) {
	for i := lo; i < hi; i++ {
		if err := f(ctx, i); err != nil {
			return i, err
		}
	}
	return hi, nil
}
