package docs_test

import (
	"context"

	"golang.org/x/sync/errgroup"
)

func hashAllBefore(ctx context.Context, paths []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(20)
	for _, path := range paths {
		g.Go(func() error { return hash(ctx, path) })
	}
	return g.Wait()
}
