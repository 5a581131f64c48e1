package docs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/pool"
	"github.com/sourcegraph/conc/stream"
	"github.com/sweetspot-go/sweetspot"
)

func fetchAllBefore(ctx context.Context, urls []string) ([]webpage, error) {
	mapper := iter.Mapper[string, webpage]{MaxGoroutines: 20}
	return mapper.MapErr(urls, func(url *string) (webpage, error) {
		return fetch(ctx, *url)
	})
}

func fetchAll(ctx context.Context, urls []string) ([]webpage, error) {
	return sweetspot.Map(ctx, urls, fetch, sweetspot.AllErrors())
}

func visitPoolBefore(ctx context.Context, urls []string) error {
	p := pool.New().WithMaxGoroutines(20).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, url := range urls {
		p.Go(func(ctx context.Context) error { return visit(ctx, url) })
	}
	return p.Wait()
}

func visitGroup(ctx context.Context, urls []string) error {
	g, ctx := sweetspot.NewGroup(ctx)
	g.SetLimiter(slots)
	for _, url := range urls {
		g.Go(func() error { return visit(ctx, url) })
	}
	return g.Wait()
}

func streamBefore(ctx context.Context, urls []string, save func(webpage, error)) {
	s := stream.New().WithMaxGoroutines(20)
	for _, url := range urls {
		s.Go(func() stream.Callback {
			p, err := fetch(ctx, url)
			return func() { save(p, err) } // in the order of Go
		})
	}
	s.Wait()
}

func streamAfter(ctx context.Context, urls []string, save func(webpage, error)) {
	for p, err := range sweetspot.MapSeq(ctx, slices.Values(urls), fetch, sweetspot.AllErrors()) {
		save(p, err) // in the order of urls
	}
}

func Example_fromConc() {
	ctx := context.Background()
	urls := append(names(3), "bad", "003")
	for _, f := range []func(context.Context, []string) ([]webpage, error){fetchAllBefore, fetchAll} {
		pages, err := f(ctx, urls)
		fmt.Println(pages, errors.Is(err, errNotFound))
	}
	for _, f := range []func(context.Context, []string) error{visitPoolBefore, visitGroup} {
		fmt.Println(f(ctx, names(100)), f(ctx, urls))
	}
	for _, f := range []func(context.Context, []string, func(webpage, error)){streamBefore, streamAfter} {
		f(ctx, urls, func(p webpage, err error) { fmt.Print(" ", p, err) })
		fmt.Println()
	}
	// Output:
	// [{000} {001} {002} {} {003}] true
	// [{000} {001} {002} {} {003}] true
	// <nil> not found
	// <nil> not found
	//  {000} <nil> {001} <nil> {002} <nil> {} not found {003} <nil>
	//  {000} <nil> {001} <nil> {002} <nil> {} item 3: not found {003} <nil>
}
