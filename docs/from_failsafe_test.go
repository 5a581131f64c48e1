package docs_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/sweetspot-go/sweetspot"
)

var apiBefore = adaptivelimiter.NewBuilder[webpage]().WithLimits(1, 200, 20).Build()

func fetchBefore(ctx context.Context, url string) (webpage, error) {
	permit, err := apiBefore.AcquirePermit(ctx)
	if err != nil {
		return webpage{}, err
	}
	p, err := fetch(ctx, url)
	if err != nil {
		permit.Drop()
		return webpage{}, err
	}
	permit.Record()
	return p, nil
}

var api = sweetspot.New(sweetspot.Name("api"), sweetspot.Classify(judge))

// judge says what became of a call: only what succeeds is throughput.
func judge(err error) sweetspot.Outcome {
	switch {
	case err == nil:
		return sweetspot.Done
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTooMany):
		return sweetspot.Overloaded // too much: the limit goes down at once
	default:
		return sweetspot.Ignored
	}
}

func fetchGoverned(ctx context.Context, url string) (p webpage, err error) {
	err = api.Do(ctx, func(ctx context.Context) error {
		p, err = fetch(ctx, url)
		return err
	})
	return p, err
}

var errTooMany = errors.New("429 Too Many Requests")

func Example_fromFailsafe() {
	before := api.Stats()
	for _, f := range []func(context.Context, string) (webpage, error){fetchBefore, fetchGoverned} {
		fmt.Println(f(context.Background(), "a"))
		fmt.Println(f(context.Background(), "bad"))
	}
	after := api.Stats()
	fmt.Println(after.Completed-before.Completed, after.Ignored-before.Ignored)
	// Output:
	// {a} <nil>
	// {} not found
	// {a} <nil>
	// {} not found
	// 1 1
}
