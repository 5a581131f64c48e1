package sweetspot_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

// TestCallsRefuseMisuse: what cannot be meant panics, and says what was wrong.
func TestCallsRefuseMisuse(t *testing.T) {
	ctx := t.Context()
	seq := slices.Values([]int{1})
	item := func(context.Context, int) error { return nil }
	visit := func(context.Context, int, func(int)) error { return nil }
	leaf := func(*sweetspot.Joiner, int) int { return 0 }
	half := func(*sweetspot.Joiner) {}
	var none *sweetspot.Limiter
	var g sweetspot.Group
	for want, f := range map[string]func(){
		"sweetspot: Map: the function is nil":          func() { sweetspot.Map[int, int](ctx, nil, nil) },
		"sweetspot: ForEach: the function is nil":      func() { sweetspot.ForEach[int](ctx, nil, nil) },
		"sweetspot: Workers: the function is nil":      func() { sweetspot.Workers[int](ctx, nil, nil) },
		"sweetspot: WorkersRange: the function is nil": func() { sweetspot.WorkersRange(ctx, 1, nil) },
		"sweetspot: WorkersRange(-1): want 0 or more": func() {
			sweetspot.WorkersRange(ctx, -1, func(context.Context, iter.Seq2[int, int]) error { return nil })
		},
		"sweetspot: ForEachIndex: the function is nil": func() { sweetspot.ForEachIndex(ctx, 1, nil) },
		"sweetspot: ForEachIndex(-1): want 0 or more":  func() { sweetspot.ForEachIndex(ctx, -1, func(context.Context, int) error { return nil }) },
		"sweetspot: Reduce: a function is nil":         func() { sweetspot.Reduce[int, int](ctx, nil, nil, nil, nil) },
		"sweetspot: ReduceRange: a function is nil":    func() { sweetspot.ReduceRange[int](ctx, 1, nil, nil, nil) },
		"sweetspot: MinChunk(0): want 1 or more":       func() { sweetspot.MinChunk(0) },
		"sweetspot: SizeHint(-1): want 0 or more":      func() { sweetspot.SizeHint(-1) },
		"sweetspot: ForEach: option 2 of 2 is nil": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, sweetspot.MinChunk(1), nil)
		},
		"sweetspot: ForEach: option 1 of 1 is nil": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, (*sweetspot.Limiter)(nil))
		},
		"sweetspot: ForEach: both Fixed(2) and a Limiter: want one of them": func() {
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, sweetspot.Fixed(2), sweetspot.New())
		},
		"sweetspot: ForEach: two Limiters: want one, and Do of the other in the function": func() {
			l := sweetspot.New()
			sweetspot.ForEach(ctx, []int{1}, func(context.Context, int) error { return nil }, l, l, sweetspot.New())
		},
		"sweetspot: ForEachSeq: the sequence is nil":    func() { sweetspot.ForEachSeq(ctx, nil, item) },
		"sweetspot: ForEachSeq: the function is nil":    func() { sweetspot.ForEachSeq(ctx, seq, nil) },
		"sweetspot: ForEachSeq: option 1 of 1 is nil":   func() { sweetspot.ForEachSeq(ctx, seq, item, nil) },
		"sweetspot: MapSeq: the sequence is nil":        func() { sweetspot.MapSeq(ctx, nil, slowly(0)) },
		"sweetspot: MapSeq: the function is nil":        func() { sweetspot.MapSeq[int, int](ctx, seq, nil) },
		"sweetspot: MapSeq: option 1 of 1 is nil":       func() { sweetspot.MapSeq(ctx, seq, slowly(0), nil) },
		"sweetspot: Walk: the function is nil":          func() { sweetspot.Walk[int](ctx, seq, nil) },
		"sweetspot: Walk: the sequence of roots is nil": func() { sweetspot.Walk(ctx, nil, visit) },
		"sweetspot: Walk: push was called after its visit had returned": func() {
			var late func(int)
			sweetspot.Walk(ctx, seq, func(_ context.Context, _ int, push func(int)) error { late = push; return nil })
			late(2)
		},
		"sweetspot: NewPool: the function is nil": func() { sweetspot.NewPool[int](ctx, nil) },
		"sweetspot: NewPool: option 1 of 1 is nil": func() {
			sweetspot.NewPool(ctx, each(func(context.Context, int) {}), nil)
		},
		"sweetspot: NewJoiner: option 1 of 1 is nil": func() { sweetspot.NewJoiner(none) },
		"sweetspot: NewJoiner: option 1 of 2 is nil": func() { sweetspot.NewJoiner(nil, sweetspot.Fixed(1)) },
		"sweetspot: NewJoiner: both Fixed(2) and a Limiter: want one of them": func() {
			sweetspot.NewJoiner(sweetspot.Fixed(2), sweetspot.New())
		},
		"sweetspot: Join: Joiner not made by NewJoiner":    func() { sweetspot.Join(new(sweetspot.Joiner), leaf, 1, 2) },
		"sweetspot: Limiter.Do: the function is nil":       func() { sweetspot.New().Do(ctx, nil) },
		"sweetspot: Limiter.DoWeight: the function is nil": func() { sweetspot.New().DoWeight(ctx, 1, nil) },
		"sweetspot: Group.Go(nil): want a function":        func() { g.Go(nil) },
		"sweetspot: Group.TryGo(nil): want a function":     func() { g.TryGo(nil) },
		"sweetspot: Group.GoContext(nil): want a function": func() { g.GoContext(ctx, nil) },
	} {
		if got := fmt.Sprint(refuse(f)); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	for name, f := range map[string]func(){
		"a nil Joiner":        func() { sweetspot.Join(nil, leaf, 1, 2) },
		"Do of a zero Joiner": func() { new(sweetspot.Joiner).Do(half, half) },
	} {
		if got := refuse(f); got != "sweetspot: Join: Joiner not made by NewJoiner" {
			t.Errorf("%s: panic %v", name, got)
		}
	}
}
