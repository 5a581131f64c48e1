package docs_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/errgroup"
)

var disk = sweetspot.New(sweetspot.Name("disk")) // one for all that use the disk

func hashAll(ctx context.Context, paths []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimiter(disk) // was: g.SetLimit(20)
	for _, path := range paths {
		g.Go(func() error { return hash(ctx, path) })
	}
	return g.Wait()
}

func hashEach(ctx context.Context, paths []string) error {
	return sweetspot.ForEach(ctx, paths, hash, disk)
}

func Example_fromErrgroup() {
	for _, f := range []func(context.Context, []string) error{hashAllBefore, hashAll, hashEach} {
		fmt.Println(f(context.Background(), names(100)), errors.Is(f(context.Background(), []string{"bad"}), errNotFound))
	}
	// Output:
	// <nil> true
	// <nil> true
	// <nil> true
}
