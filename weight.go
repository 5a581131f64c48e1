package sweetspot

import (
	"context"
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// WeightOf gives each item a weight: its bytes, rows or pixels. Then the throughput of a
// call is the sum of the weights of its items, so that a few large ones do not look like
// a slow period. And if the call runs under a [Limiter] with a [Budget], the items in
// flight never weigh more than that:
//
//	memory := sweetspot.New(sweetspot.Budget(1 << 30))
//	thumbs, err := sweetspot.Map(ctx, images, shrink, memory, sweetspot.WeightOf(pixels))
//
// An item waits for its weight after it was claimed, first come, first served among all
// that use the Limiter. So with a budget the callback must not wait for other items. If
// the call ends meanwhile, the callback is not called. In a call within an item that has
// a weight already, items take none.
//
// The call panics if the items are not of type T, or if a weight is negative. An item
// with a weight costs about 0.1 µs more. WeightOf panics if weight is nil.
func WeightOf[T any](weight func(v T) int64) MapOption {
	must(weight != nil, "sweetspot: WeightOf(nil): want a function from an item to its weight")
	return weightOption{weight: weight}
}

type weightOption struct {
	mapOption
	weight any
}

func (o weightOption) call(s *settings) { s.weight, s.Weighed = o.weight, true }

// weightOf returns the function of [WeightOf]. It panics, naming the call, if that is for
// other items.
func weightOf[T any](call string, weight any) func(T) int64 {
	f, ok := weight.(func(T) int64)
	if !ok {
		panic(fmt.Sprintf("sweetspot: %s: WeightOf has a %T: want a %T", call, weight, f))
	}
	return f
}

// weighed runs f under the weight of an item. ctx was given to its callback.
func weighed(ctx context.Context, weight int64, f func(context.Context) error) error {
	return ctx.(*call.Context).Weighed(weight, f)
}

func mapWeighed[T, R any](weight func(T) int64, f func(context.Context, T) (R, error)) func(context.Context, T) (R, error) {
	return func(ctx context.Context, v T) (r R, err error) {
		err = weighed(ctx, weight(v), func(ctx context.Context) error { r, err = f(ctx, v); return err })
		return r, err
	}
}

func visitWeighed[T any](weight func(T) int64, f func(context.Context, T) error) func(context.Context, T) error {
	return func(ctx context.Context, v T) error {
		return weighed(ctx, weight(v), func(ctx context.Context) error { return f(ctx, v) })
	}
}

func foldWeighed[T, A any](weight func(T) int64, fold func(context.Context, A, T) (A, error)) func(context.Context, A, T) (A, error) {
	return func(ctx context.Context, acc A, v T) (A, error) {
		err := weighed(ctx, weight(v), func(ctx context.Context) (err error) { acc, err = fold(ctx, acc, v); return err })
		return acc, err
	}
}

func walkWeighed[K any](weight func(K) int64, visit func(context.Context, K, func(K)) error) func(context.Context, K, func(K)) error {
	return func(ctx context.Context, k K, push func(K)) error {
		return weighed(ctx, weight(k), func(ctx context.Context) error { return visit(ctx, k, push) })
	}
}
